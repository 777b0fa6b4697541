// SPDX-License-Identifier: Apache-2.0

// The two forms of a lock file: a symbolic link, and a folder. Both name the owner.
//
// An owner prepares a claim once, under a name of its own, which costs the file system a new
// object. To take the lock, it gives the claim a second name (link) or moves it to the lock's name
// (rename). The kernel does either in one step and refuses if the name exists. So no process ever
// sees a lock without its owner or half of a lock, whenever the owner is killed.
//
//   take(…)        0: taken; EEXIST: the lock is held
//   give_back(…)   0: the lock's name is free, in one step; recovery calls it for a dead owner
#pragma once

#include <cerrno>
#include <string>

#include "primitives/platform/file.h"

namespace lockbench {

namespace internal {

inline constexpr char kOwnerName[] = "owner";  // in a folder

// Removes a claim of either form. Symbolic links in the place of a folder are not followed.
inline void discard_claim(const platform::FileDescriptor& folder, const char* claim) {
  if (platform::remove_file(folder, claim) == 0) return;
  {
    const platform::FileDescriptor inside = platform::open_folder_in(folder, claim);
    if (!inside.open()) return;
    platform::remove_file(inside, kOwnerName);
  }
  platform::remove_folder(folder, claim);
}

}  // namespace internal

// `symlink` -> owner. A script can read the holder with readlink, and lock with ln -s.
struct SymlinkForm {
  using Folder = platform::FileDescriptor;

  static int prepare(const Folder& folder, const char* claim, const char* owner) {
    return platform::make_symlink(folder, owner, claim);
  }
  static int take(const Folder& folder, const char* claim, const char* lock) {
    return platform::make_link(folder, claim, lock);
  }
  static int give_back(const Folder& folder, const char*, const char* lock) {
    return platform::remove_file(folder, lock);
  }
  static int read_owner(const Folder& folder, const char* lock, std::string& owner) {
    return platform::read_symlink(folder, lock, owner);
  }
};

// `folder/owner` -> owner. A script respects it with mkdir.
struct DirectoryForm {
  using Folder = platform::FileDescriptor;

  static int prepare(const Folder& folder, const char* claim, const char* owner) {
    if (const int error = platform::make_folder(folder, claim); error != 0) return error;
    const Folder inside = platform::open_folder_in(folder, claim);
    if (!inside.open()) return errno;
    return platform::make_symlink(inside, owner, internal::kOwnerName);
  }
  static int take(const Folder& folder, const char* claim, const char* lock) {
    return platform::rename_to_free_name(folder, claim, lock);
  }
  static int give_back(const Folder& folder, const char* claim, const char* lock) {
    return platform::rename_to_free_name(folder, lock, claim);
  }
  static int read_owner(const Folder& folder, const char* lock, std::string& owner) {
    owner.clear();
    const Folder inside = platform::open_folder_in(folder, lock);
    if (!inside.open()) return errno;
    // A folder without an owner was made by a script.
    const int error = platform::read_symlink(inside, internal::kOwnerName, owner);
    return error == ENOENT ? EINVAL : error;
  }
};

}  // namespace lockbench
