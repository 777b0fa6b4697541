// SPDX-License-Identifier: Apache-2.0

// AppendFile: a file that grows by whole pieces or not at all.
//
// Guarantees   a piece that append() could not write in full is cut off again, so the file ends
//              where the last whole piece ends; no other process of ours writes the same file
//              meanwhile (an advisory lock, which ends with the process).
// Not offered  durability against a crash of the machine before sync().
// Requires     SIGXFSZ ignored where a limit on file sizes is set; else the kernel ends the process
//              instead of telling it.
// Errors       AlreadyExists (create), NotFound, FailedPrecondition (locked), ResourceExhausted (no
//              space, quota or file-size limit), Unavailable; each names the path and the reason.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string_view>

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

// The whole of a file; OutOfRange as soon as it has more than `most` bytes, as a device may that
// never ends.
absl::StatusOr<std::string> read_file(const std::filesystem::path& path,
                                      std::size_t most = std::numeric_limits<std::size_t>::max());

// Puts `text` in the place of `path` at one stroke: a reader sees the old text or the new one. It
// goes by way of a file with `.new` at its end, beside the one that a link leads to. What is there
// and no file, as a terminal or a pipe, is written to instead.
absl::Status replace_file(const std::filesystem::path& path, std::string_view text);

// The status for an errno: `what`: the system's words, and what would mend it where that is known.
absl::Status file_error(std::string_view what, int error);

}  // namespace lockbench
