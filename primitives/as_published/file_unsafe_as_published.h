// SPDX-License-Identifier: Apache-2.0

// FileUnsafeAsPublished: a file that contains 0 or 1, which is read and then written, as published.
//
// Claimed      nothing: it is the article's example of a wrong lock.
// Faults, all of them kept
//   F1  The read and the write are two steps. A process that reads between the two steps of another
//       one finds the lock free, and both are inside.
//   F2  Waiters poll once per second.
//   F3  Any process can unlock: no owner is recorded. The lock of a killed process is held forever.
// Ours         lock() and unlock(), which the article omits: the loop of its next section, and a
//              write of 0; the time between two polls is a parameter.
// Source       an article on locks between processes in Bash, the first of a series that pictures
//              them as Petri nets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "primitives/as_published/file_as_published.h"
#include "primitives/concepts.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/file.h"
#include "primitives/platform/thread.h"

namespace lockbench {

class FileUnsafeAsPublished {
 public:
  static constexpr Promises kPromises{
      .excludes = false, .lock_per_key = true, .scope = Scope::kProcess};

  class Handle;

  explicit FileUnsafeAsPublished(const std::string& folder,
                                 platform::Duration poll = FileAsPublished::kPublishedPoll)
      : folder_(platform::open_folder(folder.c_str())), poll_(poll) {}

  Handle handle(std::uint64_t key);
  Handle handle(std::string_view key);

  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this; }

 private:
  bool try_lock(const std::string& name) {
    std::string locked;
    platform::read_file(folder_, name.c_str(), locked);
    if (locked == "1") return false;
    return platform::overwrite_file(folder_, name.c_str(), "1") == 0;  // F1
  }

  void lock(const std::string& name) {
    while (!try_lock(name)) platform::sleep_until(platform::now() + poll_);
  }

  void unlock(const std::string& name) { platform::overwrite_file(folder_, name.c_str(), "0"); }

  const platform::FileDescriptor folder_;
  const platform::Duration poll_;
};

class FileUnsafeAsPublished::Handle {
 public:
  Handle(FileUnsafeAsPublished& lock, std::string name) : lock_(lock), name_(std::move(name)) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  void lock() { lock_.lock(name_); }
  bool try_lock() { return lock_.try_lock(name_); }
  void unlock() { lock_.unlock(name_); }

 private:
  FileUnsafeAsPublished& lock_;
  const std::string name_;
};

inline FileUnsafeAsPublished::Handle FileUnsafeAsPublished::handle(std::uint64_t key) {
  return Handle(*this, std::to_string(key) + ".locked");
}

inline FileUnsafeAsPublished::Handle FileUnsafeAsPublished::handle(std::string_view key) {
  return Handle(*this, std::string(key) + ".locked");
}

}  // namespace lockbench
