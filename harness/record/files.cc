// SPDX-License-Identifier: Apache-2.0

#include "harness/record/files.h"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <absl/strings/str_format.h>

namespace lockbench {
namespace {

constexpr mode_t kReadableByAll = 0644;

// Bytes of `text` that arrived; all of them unless `error` is set.
struct Written {
  std::size_t bytes = 0;
  int error = 0;
};

// Goes on after a short write only to learn its reason, which a short write does not tell.
Written write_whole(int fd, std::string_view text) {
  Written written;
  while (written.bytes < text.size()) {
    const ssize_t n = ::write(fd, text.data() + written.bytes, text.size() - written.bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return {written.bytes, errno};
    written.bytes += static_cast<std::size_t>(n);
  }
  return written;
}

}  // namespace

absl::Status file_error(std::string_view what, int error) {
  const std::string reason = std::generic_category().message(error);
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return absl::ResourceExhaustedError(
          absl::StrFormat("%s: disk full (%s); free some space", what, reason));
    case EFBIG:
      return absl::ResourceExhaustedError(
          absl::StrFormat("%s: %s; raise the limit (ulimit -f)", what, reason));
    case EEXIST:
      return absl::AlreadyExistsError(absl::StrFormat("%s: %s", what, reason));
    case ENOENT:
      return absl::NotFoundError(absl::StrFormat("%s: %s", what, reason));
    default:
      return absl::UnavailableError(absl::StrFormat("%s: %s", what, reason));
  }
}

// Into what is there and stays there.
static absl::Status write_to(const std::filesystem::path& device, std::string_view text) {
  const int fd = ::open(device.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return file_error(device.string(), errno);
  int error = write_whole(fd, text).error;
  if (::close(fd) != 0 && error == 0) error = errno;
  return error == 0 ? absl::OkStatus() : file_error(device.string(), error);
}

absl::StatusOr<AppendFile> AppendFile::open_with(const std::filesystem::path& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_WRONLY | O_APPEND | O_CLOEXEC, kReadableByAll);
  if (fd < 0) return file_error(path.string(), errno);
  AppendFile file(path, fd);
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "%s: another process is writing it; wait for it to end, or end it", path.string()));
  }
  struct stat status;
  if (::fstat(fd, &status) != 0) return file_error(path.string(), errno);
  file.size_ = static_cast<std::uint64_t>(status.st_size);
  return file;
}

absl::StatusOr<AppendFile> AppendFile::create(const std::filesystem::path& path) {
  return open_with(path, O_CREAT | O_EXCL);
}

absl::StatusOr<AppendFile> AppendFile::open(const std::filesystem::path& path) {
  return open_with(path, 0);
}

AppendFile::AppendFile(AppendFile&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), size_(other.size_) {}

AppendFile& AppendFile::operator=(AppendFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  std::swap(size_, other.size_);
  return *this;
}

AppendFile::~AppendFile() {
  if (fd_ >= 0) ::close(fd_);
}

absl::Status AppendFile::append(std::string_view piece) {
  const Written written = write_whole(fd_, piece);
  if (written.error == 0) {
    size_ += piece.size();
    return absl::OkStatus();
  }
  const absl::Status status = file_error(path_.string(), written.error);
  if (written.bytes == 0) return status;
  const absl::Status cut = cut_to(size_);
  if (cut.ok()) return status;
  return absl::Status(status.code(), absl::StrFormat("%s (its last line is torn: %s)",
                                                     status.message(), cut.message()));
}

absl::Status AppendFile::cut_to(std::uint64_t size) {
  if (::ftruncate(fd_, static_cast<off_t>(size)) != 0) {
    return file_error(absl::StrFormat("%s: cannot be cut to %d bytes", path_.string(), size),
                      errno);
  }
  size_ = size;
  return absl::OkStatus();
}

absl::Status AppendFile::sync() {
  if (::fdatasync(fd_) != 0) return file_error(path_.string(), errno);
  return absl::OkStatus();
}

absl::StatusOr<std::string> read_file(const std::filesystem::path& path, std::size_t most) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return file_error(path.string(), errno);
  std::string text;
  char piece[1 << 14];
  ssize_t n = 0;
  while (text.size() <= most &&
         ((n = ::read(fd, piece, sizeof piece)) > 0 || (n < 0 && errno == EINTR))) {
    if (n > 0) text.append(piece, static_cast<std::size_t>(n));
  }
  const int error = n < 0 ? errno : 0;
  ::close(fd);
  if (error != 0) return file_error(path.string(), error);
  if (text.size() > most) {
    return absl::OutOfRangeError(
        absl::StrFormat("%s: has more than %d bytes", path.string(), most));
  }
  return text;
}

absl::Status replace_file(const std::filesystem::path& path, std::string_view text) {
  std::error_code unknown;
  const std::filesystem::file_status there = std::filesystem::status(path, unknown);
  if (std::filesystem::is_other(there)) return write_to(path, text);
  const std::filesystem::path target =
      std::filesystem::exists(there) ? std::filesystem::canonical(path, unknown) : path;
  const std::string fresh = target.string() + ".new";
  const int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kReadableByAll);
  if (fd < 0) return file_error(path.string(), errno);
  int error = write_whole(fd, text).error;
  // The name must not go over to a file whose contents a crash could still take away.
  if (error == 0 && ::fsync(fd) != 0) error = errno;
  if (::close(fd) != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(fresh.c_str(), target.c_str()) != 0) error = errno;
  if (error == 0) return absl::OkStatus();
  ::unlink(fresh.c_str());
  return file_error(path.string(), error);
}

}  // namespace lockbench
