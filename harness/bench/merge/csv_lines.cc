// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/merge/csv_lines.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include <absl/strings/str_format.h>

#include "harness/base/files.h"
#include "harness/bench/record/csv.h"

namespace lockbench {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

// No record is longer: it has 90 columns of at most 4 KiB each.
constexpr std::size_t kMostLineBytes = std::size_t{16} << 20;

}  // namespace

CsvLines::CsvLines(std::filesystem::path path, int fd)
    : path_(std::move(path)), fd_(fd), buffer_(kBufferBytes) {}

// The buffer keeps its address, and line_ refers to it.
CsvLines::CsvLines(CsvLines&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      buffer_(std::move(other.buffer_)),
      begin_(other.begin_),
      end_(other.end_),
      file_offset_(other.file_offset_),
      offset_(other.offset_),
      number_(other.number_),
      line_(other.line_),
      torn_(other.torn_),
      status_(std::move(other.status_)) {}

CsvLines::~CsvLines() {
  if (fd_ >= 0) ::close(fd_);
}

absl::StatusOr<CsvLines> CsvLines::open(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return file_error(path.string(), errno);
  return CsvLines(path, fd);
}

bool CsvLines::read_more() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= std::exchange(begin_, 0);
  if (end_ == buffer_.size()) {
    if (buffer_.size() >= kMostLineBytes) {
      status_ = absl::InvalidArgumentError(
          absl::StrFormat("%s:%d: the line has more than %d bytes; this is no table of a run",
                          path_.string(), number_ + 1, kMostLineBytes));
      return false;
    }
    buffer_.resize(2 * buffer_.size());
  }
  ssize_t n = 0;
  do {
    n = ::read(fd_, buffer_.data() + end_, buffer_.size() - end_);
  } while (n < 0 && errno == EINTR);
  if (n < 0) status_ = file_error(path_.string(), errno);
  if (n <= 0) return false;
  end_ += static_cast<std::size_t>(n);
  return true;
}

bool CsvLines::next() {
  std::size_t looked_at = 0;  // bytes after begin_ that contain no line end
  for (;;) {
    const char* const from = buffer_.data() + begin_ + looked_at;
    const std::size_t size = end_ - begin_ - looked_at;
    if (const void* const found = std::memchr(from, '\n', size)) {
      const char* const line = buffer_.data() + begin_;
      line_ =
          std::string_view(line, static_cast<std::size_t>(static_cast<const char*>(found) - line));
      offset_ = file_offset_;
      ++number_;
      begin_ += line_.size() + 1;
      file_offset_ += line_.size() + 1;
      if (number_ == 1 && line_.starts_with(kByteOrderMark)) {
        line_.remove_prefix(kByteOrderMark.size());
        offset_ += kByteOrderMark.size();
      }
      return true;
    }
    looked_at = end_ - begin_;
    if (!read_more()) break;
  }
  torn_ = status_.ok() && end_ > begin_;
  line_ = {};
  return false;
}

}  // namespace lockbench
