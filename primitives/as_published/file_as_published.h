// SPDX-License-Identifier: Apache-2.0

// FileAsPublished: the process that makes a symbolic link first has the lock, as published.
//
// The link's text is the number of the process that made it. A process that finds a link sleeps for
// a second and tries again.
//
// Claimed      mutual exclusion between processes, because the creation of a link tests and sets in
//              one step; only the process that locked can unlock. unlock() has three errors.
// Faults, all of them kept
//   F1  Waiters poll once per second. A released lock stays free until a waiter polls, or until the
//       process that released it locks it again. The times of the polls are random, so a process
//       may wait forever.
//   F2  A lock whose owner was killed is held forever. No process checks whether the owner lives.
//   F3  The check would be unsafe: process numbers are reused, so another process may have the
//       number.
//   F4  unlock() reads the owner and removes the link in two steps. If a user or a script removes
//       stale locks meanwhile, the second step may remove another owner's.
//   F5  The owner is a process: another thread of it can unlock.
//   F6  A name is not checked: a name with '/' leads out of the folder.
// Ours         the time between two polls is a parameter, so that tests do not take seconds; one
//              lock file for each key; try_lock() is the published mutex_trylock.
// Source       an article on locks between processes in Bash, the first of a series that pictures
//              them as Petri nets.
#pragma once

#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "primitives/concepts.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/file.h"
#include "primitives/platform/process.h"
#include "primitives/platform/thread.h"

namespace lockbench {

class FileAsPublished {
 public:
  static constexpr Promises kPromises{.lock_per_key = true, .scope = Scope::kProcess};
  static constexpr platform::Duration kPublishedPoll = std::chrono::seconds(1);

  // As mutex_unlock returns them.
  enum class Unlocked { kYes = 0, kNoSuchLock = 1, kNotOwner = 2, kCannotRemove = 3 };

  class Handle;

  explicit FileAsPublished(const std::string& folder, platform::Duration poll = kPublishedPoll)
      : folder_(platform::open_folder(folder.c_str())), poll_(poll) {}

  Handle handle(std::uint64_t key);
  Handle handle(std::string_view key);

  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this; }

 private:
  bool try_lock(const std::string& name) {
    const std::string self = std::to_string(platform::this_process());
    return platform::make_symlink(folder_, self.c_str(), name.c_str()) == 0;
  }

  void lock(const std::string& name) {
    while (!try_lock(name)) platform::sleep_until(platform::now() + poll_);  // F1
  }

  Unlocked unlock(const std::string& name) {
    std::string text;
    if (platform::read_symlink(folder_, name.c_str(), text) != 0) return Unlocked::kNoSuchLock;
    platform::ProcessId owner = 0;
    std::from_chars(text.data(), text.data() + text.size(), owner);
    if (owner != platform::this_process()) return Unlocked::kNotOwner;
    // F4
    return platform::remove_file(folder_, name.c_str()) == 0 ? Unlocked::kYes
                                                             : Unlocked::kCannotRemove;
  }

  const platform::FileDescriptor folder_;
  const platform::Duration poll_;
};

class FileAsPublished::Handle {
 public:
  Handle(FileAsPublished& lock, std::string name) : lock_(lock), name_(std::move(name)) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  void lock() { lock_.lock(name_); }
  bool try_lock() { return lock_.try_lock(name_); }
  Unlocked unlock() { return lock_.unlock(name_); }

 private:
  FileAsPublished& lock_;
  const std::string name_;
};

inline FileAsPublished::Handle FileAsPublished::handle(std::uint64_t key) {
  return Handle(*this, std::to_string(key) + ".mutex");
}

inline FileAsPublished::Handle FileAsPublished::handle(std::string_view key) {
  return Handle(*this, std::string(key) + ".mutex");
}

}  // namespace lockbench
