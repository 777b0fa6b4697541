// SPDX-License-Identifier: Apache-2.0

// ScratchFolder: a folder for one program's short use, in the system's place for such.
//
// Guarantees   new, this user's alone, and removed with all that is in it by the process that made
//              it; a child that fork() made leaves it alone.
// Not offered  removal when the process is killed.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "primitives/platform/process.h"

namespace lockbench::platform {

class ScratchFolder {
 public:
  // In $TMPDIR or /tmp. Throws std::system_error when it cannot be made.
  ScratchFolder() {
    std::error_code none;
    std::filesystem::path parent = std::filesystem::temp_directory_path(none);
    if (none) parent = "/tmp";
    path_ = (parent / "lockbench-XXXXXX").string();
    if (mkdtemp(path_.data()) == nullptr) {
      throw std::system_error(errno, std::generic_category(),
                              "'" + path_ +
                                  "' cannot be made; set TMPDIR to a folder that can be "
                                  "written");
    }
  }
  ~ScratchFolder() {
    std::error_code ignored;
    if (maker_ == this_process()) std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  const ProcessId maker_ = this_process();
};

}  // namespace lockbench::platform
