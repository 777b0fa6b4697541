// SPDX-License-Identifier: Apache-2.0

// AppendFile: a file that grows by whole pieces or not at all.
//
// Guarantees   a piece that append() could not write in full is cut off again, so the file ends
//              where the last whole piece ends; no other process of ours writes the same file
//              meanwhile (an advisory lock, which ends with the process).
// Not offered  durability against a crash of the machine before sync(), and of a new file before
//              sync_folder() of its folder.
// Requires     SIGXFSZ ignored where a limit on file sizes is set; else the kernel ends the process
//              instead of telling it.
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
  // The file must exist; appending goes on at its end.
  static absl::StatusOr<AppendFile> open(const std::filesystem::path& path);

  AppendFile(AppendFile&& other) noexcept;
  AppendFile& operator=(AppendFile&& other) noexcept;
  ~AppendFile();

  // One write(2), as long as the kernel takes it whole.
  absl::Status append(std::string_view piece);

  // Cuts the file to `size` bytes, at most size().
  absl::Status cut_to(std::uint64_t size);

  // Waits until the device has it.
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

// The most that is read of a file of each kind; far more than lockbench ever writes.
inline constexpr std::size_t kMostKernelFileBytes = std::size_t{16} << 20;  // of /proc and /sys
inline constexpr std::size_t kMostInputBytes = std::size_t{16} << 20;       // that people write
inline constexpr std::size_t kMostRunFileBytes = std::size_t{512} << 20;    // of a run's folder
inline constexpr std::size_t kMostStreamBytes = std::size_t{64} << 20;      // of what is no file

// The whole of a file, or of a pipe until its writers have closed it. OutOfRange as soon as it has
// more than `most` bytes, as a device that never ends has; DeadlineExceeded if a pipe or terminal
// gives nothing for 10 s.
absl::StatusOr<std::string> read_file(const std::filesystem::path& path, std::size_t most);

// Replaces the contents of `path` by `text` in one step: a reader sees the old text or the new one,
// and so does one after a crash of the machine. The new text is first written to a file with `.new`
// at the end of its name, beside the file that a link leads to. What exists but is not a file, as
// a terminal or a pipe, is written to instead.
absl::Status replace_file(const std::filesystem::path& path, std::string_view text);

// Waits until the device has the names in `folder`.
absl::Status sync_folder(const std::filesystem::path& folder);

// Makes `folder` and those above it that are missing, and waits until the device has their names.
absl::Status make_folders(const std::filesystem::path& folder);

// FolderLock: held by one process at a time, until it is destroyed or the process ends. Advisory;
// on a file system without locks for folders it excludes no process.
class FolderLock {
 public:
  // FailedPrecondition while another process holds it. The folder must exist.
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

// The status for an errno: `what`: the system's words, and what would help, if known.
absl::Status file_error(std::string_view what, int error);

}  // namespace lockbench
