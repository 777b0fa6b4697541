// SPDX-License-Identifier: Apache-2.0

// ScratchFolder: a folder for the short use of one program, in the system's folder for these.
//
// Guarantees   new, this user's alone, and removed with all that is in it by the process that made
//              it; a child that fork() made leaves it alone. As long as the process or one that it
//              forked lives, it holds an advisory lock (flock) on the folder around it.
// Not offered  removal when the process is killed: remove_abandoned() of a later one removes it.
#pragma once

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "primitives/platform/process.h"

namespace lockbench::platform {

class ScratchFolder {
 public:
  // In $TMPDIR or /tmp. Throws std::system_error when it cannot be made.
  ScratchFolder() {
    std::error_code none;
    std::filesystem::path parent = std::filesystem::temp_directory_path(none);
    if (none) parent = "/tmp";
    outer_ = (parent / (std::string(kPrefix) + "XXXXXX")).string();
    const bool made = mkdtemp(outer_.data()) != nullptr;
    path_ = outer_ + "/files";
    if (!made || mkdir(path_.c_str(), S_IRWXU) != 0) {
      throw std::system_error(errno, std::generic_category(),
                              "'" + outer_ +
                                  "' cannot be made; set TMPDIR to a folder that can be "
                                  "written");
    }
    lock_ = open(outer_.c_str(), kFolderOnly);
    if (lock_ >= 0) flock(lock_, LOCK_EX | LOCK_NB);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    if (maker_ == this_process()) std::filesystem::remove_all(outer_, ignored);
    if (lock_ >= 0) close(lock_);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }

  // Removes this user's scratch folders in `parent` that no living process has locked, in whatever
  // container it lives. `least_age`: a younger one may be about to be locked.
  static void remove_abandoned(const std::filesystem::path& parent,
                               std::chrono::seconds least_age = std::chrono::minutes(1)) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(parent, ignored)) {
      if (!entry.path().filename().string().starts_with(kPrefix)) continue;
      const int folder = open(entry.path().c_str(), kFolderOnly);
      if (folder < 0) continue;
      struct stat found;
      const bool old = fstat(folder, &found) == 0 && found.st_uid == geteuid() &&
                       found.st_mtime + least_age.count() <= std::time(nullptr);
      if (old && flock(folder, LOCK_EX | LOCK_NB) == 0) {
        std::filesystem::remove_all(entry.path(), ignored);
      }
      close(folder);
    }
  }

 private:
  static constexpr std::string_view kPrefix = "lockbench-scratch-";
  static constexpr int kFolderOnly = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

  std::string outer_;  // locked; path() lies in it, so that its users can lock that themselves
  std::string path_;
  int lock_ = -1;
  const ProcessId maker_ = this_process();
};

}  // namespace lockbench::platform
