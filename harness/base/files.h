// SPDX-License-Identifier: Apache-2.0

// AppendFile: a file to which whole pieces are appended, or nothing.
//
// Guarantees   If append() cannot write a whole piece, it removes the part that was written, so the
//              file ends after the last whole piece. No other process of lockbench writes the same
//              file at the same time (an advisory lock, which ends with the process).
// Not offered  Durability against a crash of the machine before sync(), and of a new file before
//              sync_folder() of its folder.
// Requires     SIGXFSZ is ignored if a limit on file sizes is set; otherwise the kernel ends the
//              process instead of returning an error.
// Errors       AlreadyExists (create), NotFound, FailedPrecondition (locked), ResourceExhausted (no
//              space, quota or file-size limit), Unavailable; each names the path and the reason.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

namespace lockbench {

class AppendFile {
 public:
  // The file must not exist yet.
  static absl::StatusOr<AppendFile> create(const std::filesystem::path& path);
  // The file must exist; appended data goes to its end.
  static absl::StatusOr<AppendFile> open(const std::filesystem::path& path);

  AppendFile(AppendFile&& other) noexcept;
  AppendFile& operator=(AppendFile&& other) noexcept;
  ~AppendFile();

  // Uses one write(2) if the kernel accepts the whole piece.
  absl::Status append(std::string_view piece);

  // Cuts the file to `size` bytes, at most size().
  absl::Status cut_to(std::uint64_t size);

  // Waits until the data is on the device.
  absl::Status sync();

  std::uint64_t size() const { return size_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  AppendFile(std::filesystem::path path, int fd) : path_(std::move(path)), fd_(fd) {}

  static absl::StatusOr<AppendFile> open_with(const std::filesystem::path& path, int flags);

  std::filesystem::path path_;
  int fd_;
  std::uint64_t size_ = 0;  // bytes of whole pieces
};

// The maximum that is read of a file of each kind; lockbench itself writes far less.
inline constexpr std::size_t kMostInputBytes = std::size_t{16} << 20;     // written by people
inline constexpr std::size_t kMostRunFileBytes = std::size_t{512} << 20;  // of a run's folder
inline constexpr std::size_t kMostStreamBytes = std::size_t{64} << 20;    // of pipes, terminals

// The contents of a file, or of a pipe until its writers have closed it. OutOfRange if it has more
// than `most` bytes, for example a device that never ends. DeadlineExceeded if a pipe or terminal
// sends nothing for 10 s.
absl::StatusOr<std::string> read_file(const std::filesystem::path& path, std::size_t most);

// Replaces the contents of `path` by `text` in one step: a reader sees either the old text or the
// new one, also after a crash of the machine. The new text is first written to a file with `.new`
// at the end of its name, in the folder of the target if `path` is a link. If `path` exists and is
// not a file, for example a terminal or a pipe, the text is written to it instead.
absl::Status replace_file(const std::filesystem::path& path, std::string_view text);

// Waits until the names in `folder` are on the device.
absl::Status sync_folder(const std::filesystem::path& folder);

// Creates `folder` and its missing parents, and waits until their names are on the device.
absl::Status make_folders(const std::filesystem::path& folder);

// FolderLock: one process at a time holds it, until it is destroyed or the process ends. It is
// advisory. On a file system without locks for folders it excludes no process.
class FolderLock {
 public:
  // FailedPrecondition if another process holds it. The folder must exist.
  static absl::StatusOr<FolderLock> take(const std::filesystem::path& folder);

  FolderLock(FolderLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FolderLock& operator=(FolderLock&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FolderLock();

 private:
  explicit FolderLock(int fd) : fd_(fd) {}

  int fd_;
};

// The status for an errno: `what`, the system's message, and what would help if that is known.
absl::Status file_error(std::string_view what, int error);

}  // namespace lockbench
