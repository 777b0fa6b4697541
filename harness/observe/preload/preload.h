// SPDX-License-Identifier: Apache-2.0

// Preload: has the loader put a library of ours into a user's program, and knows whether it did.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

namespace lockbench {

// The environment variable LD_PRELOAD with this library before those that it has already. The value
// cannot hold a space, a colon or a dollar sign, so a library in such a path is named by a symbolic
// link in a folder of this user's. FailedPrecondition if there can be none.
absl::StatusOr<std::string> preload_variable(const std::filesystem::path& library);

// The file in which the programs of one run announce that the library is in them
// (harness/observe/preload/announcements.h). It is removed with this object.
class AnnouncementFile {
 public:
  static absl::StatusOr<std::unique_ptr<AnnouncementFile>> create();
  ~AnnouncementFile();
  AnnouncementFile(const AnnouncementFile&) = delete;
  AnnouncementFile& operator=(const AnnouncementFile&) = delete;

  std::string variable() const;  // NAME=VALUE, for the environment of the first program

  // After the run: FailedPrecondition names the programs that the library, which `brings` what the
  // user asked for, did not announce itself in. `first`: the program that was started.
  absl::Status check(const std::string& first, const std::string& brings) const;

 private:
  explicit AnnouncementFile(std::string path);

  std::string path_;
};

}  // namespace lockbench
