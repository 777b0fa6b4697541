// SPDX-License-Identifier: Apache-2.0

#include "harness/base/files.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include <absl/strings/str_format.h>

namespace lockbench {
namespace {

constexpr mode_t kReadableByAll = 0644;

// How long a pipe or a terminal may send nothing.
constexpr int kPatienceMs = 10'000;

// The number of bytes of `text` that were written; all of them unless `error` is set.
struct Written {
  std::size_t bytes = 0;
  int error = 0;
};

// Continues after a short write: only the next write reports the reason.
Written write_whole(int fd, std::string_view text) {
  Written written;
  while (written.bytes < text.size()) {
    const ssize_t n = ::write(fd, text.data() + written.bytes, text.size() - written.bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) {  // only for pipes, terminals and the like
      pollfd waiting{.fd = fd, .events = POLLOUT, .revents = 0};
      if (::poll(&waiting, 1, kPatienceMs) != 0) continue;
      return {written.bytes, ETIMEDOUT};
    }
    if (n < 0) return {written.bytes, errno};
    written.bytes += static_cast<std::size_t>(n);
  }
  return written;
}

// Appends everything that non-blocking `fd` has until its end to `text`.
absl::Status read_rest(int fd, const std::filesystem::path& path, std::size_t most,
                       std::string& text) {
  char piece[1 << 12];
  while (text.size() <= most) {
    const ssize_t n = ::read(fd, piece, sizeof piece);
    if (n == 0) return absl::OkStatus();
    if (n > 0) {
      text.append(piece, static_cast<std::size_t>(n));
    } else if (errno == EAGAIN) {
      pollfd waiting{.fd = fd, .events = POLLIN, .revents = 0};
      if (::poll(&waiting, 1, kPatienceMs) != 0) continue;
      return absl::DeadlineExceededError(
          absl::StrFormat("%s: a pipe or a terminal that gave nothing for %d s; name a file",
                          path.string(), kPatienceMs / 1000));
    } else if (errno != EINTR) {
      return file_error(path.string(), errno);
    }
  }
  return absl::OutOfRangeError(
      absl::StrFormat("%s: has more than %d bytes, the most that is read", path.string(), most));
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

// Writes to a device or pipe that exists and is not replaced.
static absl::Status write_to(const std::filesystem::path& device, std::string_view text) {
  // Without O_NONBLOCK, open() of a FIFO waits for a reader.
  const int fd = ::open(device.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return file_error(device.string(), errno);
  int error = write_whole(fd, text).error;
  if (::close(fd) != 0 && error == 0) error = errno;
  return error == 0 ? absl::OkStatus() : file_error(device.string(), error);
}

absl::StatusOr<AppendFile> AppendFile::open_with(const std::filesystem::path& path, int flags) {
  const int fd =
      ::open(path.c_str(), flags | O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK, kReadableByAll);
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
  // Without O_NONBLOCK, open() of a FIFO waits for a writer.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return file_error(path.string(), errno);
  struct stat found;
  const bool file = ::fstat(fd, &found) == 0 && S_ISREG(found.st_mode);
  std::string text;
  const absl::Status status =
      read_rest(fd, path, file ? most : std::min(most, kMostStreamBytes), text);
  ::close(fd);
  if (!status.ok()) return status;
  return text;
}

absl::Status sync_folder(const std::filesystem::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return file_error(folder.string(), errno);
  int error = ::fsync(fd) != 0 ? errno : 0;
  // Some file systems have nothing to sync here and return an error.
  if (error == EINVAL || error == EROFS) error = 0;
  ::close(fd);
  return error == 0 ? absl::OkStatus() : file_error(folder.string(), error);
}

absl::Status make_folders(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> missing;
  for (std::filesystem::path at = folder; !at.empty() && !std::filesystem::exists(at, error);
       at = at.parent_path()) {
    missing.push_back(at);
  }
  std::filesystem::create_directories(folder, error);
  if (error) return file_error(folder.string() + ": cannot be made", error.value());
  for (const std::filesystem::path& made : missing) {
    const std::filesystem::path parent = made.has_parent_path() ? made.parent_path() : ".";
    if (absl::Status status = sync_folder(parent); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<FolderLock> FolderLock::take(const std::filesystem::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return file_error(folder.string(), errno);
  FolderLock lock(fd);
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return lock;
  return absl::FailedPreconditionError(absl::StrFormat(
      "%s: another process is writing there; wait for it to end, or end it", folder.string()));
}

FolderLock::~FolderLock() {
  if (fd_ >= 0) ::close(fd_);
}

absl::Status replace_file(const std::filesystem::path& path, std::string_view text) {
  std::error_code unknown;
  const std::filesystem::file_status there = std::filesystem::status(path, unknown);
  if (std::filesystem::is_other(there)) return write_to(path, text);
  const std::filesystem::path target =
      std::filesystem::exists(there) ? std::filesystem::canonical(path, unknown) : path;
  const std::string fresh = target.string() + ".new";
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  const int fd = ::open(fresh.c_str(), kFlags, kReadableByAll);
  if (fd < 0) return file_error(path.string(), errno);
  int error = write_whole(fd, text).error;
  // The name must not refer to the new file before its contents are safe from a crash.
  if (error == 0 && ::fsync(fd) != 0) error = errno;
  if (::close(fd) != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(fresh.c_str(), target.c_str()) != 0) error = errno;
  if (error == 0) return sync_folder(target.has_parent_path() ? target.parent_path() : ".");
  ::unlink(fresh.c_str());
  return file_error(path.string(), error);
}

}  // namespace lockbench
