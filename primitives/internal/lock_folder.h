// SPDX-License-Identifier: Apache-2.0

// LockFolder: the folder of the lock files, checked and kept open.
//
// Guarantees   every call works in the folder that was checked, even if its path leads elsewhere
//              later. A folder in which every user may replace lock files is refused.
#pragma once

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

#include "primitives/internal/file_owner.h"
#include "primitives/internal/life_lock.h"
#include "primitives/platform/failure.h"
#include "primitives/platform/file.h"

namespace lockbench {

// Says where, what is wrong, and what would be right, in one line.
class FileLockError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;

  // `fault`: what is wrong with `path`, and what would be right.
  [[noreturn]] static void raise_at(const std::string& path, const std::string& fault) {
    platform::throw_error(FileLockError("file lock: '" + path + "' " + fault));
  }
};

namespace internal {

// The error of a folder for locks of `user`, or nothing. Pure.
inline std::string fault_of_folder(const platform::FileFacts& folder, unsigned user) {
  constexpr unsigned kSuperuser = 0;
  if (folder.owner != user && folder.owner != kSuperuser) {
    return "belongs to another user, who may replace lock files in it; take a folder of your own, "
           "or the superuser's";
  }
  const bool open_to_all = (folder.mode & platform::FileFacts::kWrittenByOthers) != 0;
  if (open_to_all && (folder.mode & platform::FileFacts::kSticky) == 0) {
    return "may be written by every user, who may replace lock files in it; take a folder of your "
           "own, or restrict this one (chmod o-w, or chmod +t)";
  }
  return {};
}

class LockFolder {
 public:
  explicit LockFolder(std::string path)
      : path_(std::move(path)), folder_(platform::open_folder(path_.c_str())) {
    if (!folder_.open()) {
      FileLockError::raise_at(path_, errno == ENOTDIR || errno == ELOOP
                                         ? "is no folder itself; name the folder, not a file or a "
                                           "symbolic link"
                                         : std::string("cannot be opened: ") +
                                               std::strerror(errno) +
                                               "; name a folder that exists and can be read");
    }
    platform::FileFacts facts;
    if (const int error = platform::facts_of(folder_, facts); error != 0) {
      FileLockError::raise_at(path_, std::string("cannot be examined: ") + std::strerror(error));
    }
    const std::string fault = fault_of_folder(facts, platform::this_user());
    if (!fault.empty()) FileLockError::raise_at(path_, fault);
    local_ = platform::on_local_file_system(folder_);
  }

  const platform::FileDescriptor& descriptor() const { return folder_; }
  const std::string& path() const { return path_; }

  Life life_of(const FileOwner& owner) const {
    const Life seen = outcome_of(owner, here_, local_, Sighting::of(owner.process));
    // The process itself says more about an owner in this namespace: it may have called execve().
    if (seen != Life::kUnknown || !local_ || !owner.life) return seen;
    return LifeLock::life_of(*owner.life, folder_);
  }

  // No proof on a file system that another machine may use: its kernel does not see the lock.
  LifeLock life_lock() const { return local_ ? LifeLock(folder_) : LifeLock(); }

  const ProcessWorld& here() const { return here_; }

 private:
  const std::string path_;
  const platform::FileDescriptor folder_;
  const ProcessWorld here_ = ProcessWorld::here();
  bool local_ = false;
};

// At most one process holds the folder's guard. The kernel releases it when the holder ends.
class RescueGuard {
 public:
  // A separate descriptor: a parent or child may share the folder's, and would share the guard.
  explicit RescueGuard(const LockFolder& folder)
      : again_(platform::open_folder_in(folder.descriptor(), ".")),
        held_(again_.open() && platform::try_advisory_lock(again_) == 0) {}
  ~RescueGuard() {
    if (held_) platform::advisory_unlock(again_);
  }
  RescueGuard(const RescueGuard&) = delete;
  RescueGuard& operator=(const RescueGuard&) = delete;

  bool held() const { return held_; }

 private:
  const platform::FileDescriptor again_;
  const bool held_;
};

}  // namespace internal
}  // namespace lockbench
