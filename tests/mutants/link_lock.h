// SPDX-License-Identifier: Apache-2.0

// LinkLock: a lock between processes, a symbolic link that says who holds it, with at most one
// fault. Without any it is correct: the link appears in one step and only where there was none; a
// dead owner's is removed under a guard that one process has at a time, having been read again.
#pragma once

#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <pthread.h>
#include <string>
#include <string_view>

#include "primitives/concepts.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/file.h"
#include "primitives/platform/process.h"
#include "primitives/platform/thread.h"

namespace lockbench::mutants {

enum class LinkFault {
  kNone,
  kTestsThenMakes,    // looks whether there is a link, then makes one, whatever is there by then
  kTwoRescuers,       // a dead owner's link is removed by all who saw it, at once
  kNoRecovery,        // nobody looks whether the owner lives
  kStealsFromPaused,  // an owner that has been seen for long is taken for dead
  kJudgesByNumber,    // an owner lives while anybody has its process number
  kLooksSeldom,       // whether the owner lives is looked at six times a second
  // A process that is killed between two system calls leaves what no process removes:
  kTwoLinks,    // one link says that the key is taken, and another one by which process
  kGuardLink,   // the guard of a removal is a link, too
  kLeavesMark,  // a release begins with a link that keeps the others away
  // A process that is slow between two system calls spoils what another process did meanwhile:
  kRemovesWhatItSaw,  // a dead owner's link is removed without being read again
  kKnowsItself,       // none: a process that finds its own name there has the key already
  kRemembersItself,   // the same, and a child inherits the name that its parent remembers
  kCleansUpInChild,   // a child removes the links that it inherited, which are its parent's
  kRenamesOver,       // looks whether there is a link, then renames its own to that name
};

template <LinkFault F>
class LinkLock {
 public:
  static constexpr Promises kPromises{.lock_per_key = true, .scope = Scope::kProcess};

  class Handle {
   public:
    Handle(LinkLock& lock, std::uint64_t key)
        : lock_(lock), name_(std::to_string(key) + ".lock"), self_(lock.own_name()) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    void lock() {
      std::string seen;
      platform::Time since = platform::now();
      while (!take()) {
        const std::string owner = lock_.owner_of(name_);
        if (owner != seen) since = platform::now();
        seen = owner;
        if (lock_.look_after(name_, owner, platform::now() - since)) continue;
        platform::sleep_until(platform::now() + kPoll);
      }
    }

    bool try_lock() {
      if (take()) return true;
      return lock_.look_after(name_, lock_.owner_of(name_), {}) && take();
    }

    void unlock() {
      if constexpr (F == LinkFault::kCleansUpInChild) inherited() = {};
      if (lock_.owner_of(name_) != self_) return;
      if constexpr (F == LinkFault::kLeavesMark) lock_.make_link("leaves", name_ + ".mark");
      lock_.remove(name_);
      if constexpr (F == LinkFault::kLeavesMark) lock_.remove_link(name_ + ".mark");
    }

   private:
    bool take() {
      if constexpr (F == LinkFault::kTestsThenMakes) {
        if (!lock_.owner_of(name_).empty()) return false;
        platform::remove_file(lock_.folder_, name_.c_str());
      }
      if constexpr (F == LinkFault::kLeavesMark) {
        if (!lock_.owner_of(name_ + ".mark").empty()) return false;
      }
      if constexpr (F == LinkFault::kTwoLinks) {
        if (!lock_.make_link("taken", name_ + ".taken")) return false;
      }
      if constexpr (F == LinkFault::kRenamesOver) {
        const std::string own = name_ + "." + self_;
        return lock_.owner_of(name_).empty() && lock_.make_link(self_, own) &&
               lock_.rename_link(own, name_);
      }
      if constexpr (F == LinkFault::kKnowsItself || F == LinkFault::kRemembersItself) {
        if (lock_.owner_of(name_) == self_) return true;
      }
      if (!lock_.make_link(self_, name_)) return false;
      if constexpr (F == LinkFault::kCleansUpInChild) inherited() = {&lock_, name_};
      return true;
    }

    LinkLock& lock_;
    const std::string name_;
    const std::string self_;
  };

  explicit LinkLock(const std::string& folder) : folder_(platform::open_folder(folder.c_str())) {
    if constexpr (F == LinkFault::kCleansUpInChild) {
      [[maybe_unused]] static const int once = pthread_atfork(nullptr, nullptr, clean_up);
    }
  }

  Handle handle(std::uint64_t key) { return Handle(*this, key); }

  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this; }

 private:
  static constexpr platform::Duration kPoll = std::chrono::microseconds(500);
  static constexpr platform::Duration kLongPause = std::chrono::milliseconds(8);
  static constexpr platform::Duration kSeldom = std::chrono::milliseconds(160);

  // The last hold of this process.
  struct Inherited {
    LinkLock* lock = nullptr;
    std::string name;
  };
  static Inherited& inherited() {
    static Inherited hold;
    return hold;
  }
  static void clean_up() {
    Inherited& hold = inherited();
    if (hold.lock != nullptr) hold.lock->remove_link(hold.name);
    hold.lock = nullptr;
  }

  const std::string& own_name() {
    if (remembered_.empty() || F != LinkFault::kRemembersItself) remembered_ = own_text();
    return remembered_;
  }

  static std::string own_text() {
    const platform::ProcessId self = platform::this_process();
    const auto facts = platform::process_facts(self);
    return std::to_string(self) + ":" + std::to_string(facts ? facts->started : 0);
  }

  bool make_link(const std::string& text, const std::string& name) const {
    return platform::make_symlink(folder_, text.c_str(), name.c_str()) == 0;
  }
  bool remove_link(const std::string& name) const {
    return platform::remove_file(folder_, name.c_str()) == 0;
  }
  // Replaces a link that has the new name.
  bool rename_link(const std::string& from, const std::string& to) const {
    return renameat(folder_.number(), from.c_str(), folder_.number(), to.c_str()) == 0;
  }
  // Removes everything that says which process holds the key.
  bool remove(const std::string& name) const {
    const bool removed = remove_link(name);
    if constexpr (F == LinkFault::kTwoLinks) remove_link(name + ".taken");
    return removed;
  }

  // Empty when nobody holds it.
  std::string owner_of(const std::string& name) const {
    std::string text;
    platform::read_symlink(folder_, name.c_str(), text);
    return text;
  }

  static bool is_dead(const std::string& owner) {
    const std::size_t colon = owner.find(':');
    if (colon == std::string::npos) return false;
    platform::ProcessId process = 0;
    std::from_chars(owner.data(), owner.data() + colon, process);
    const auto facts = platform::process_facts(process);
    if constexpr (F == LinkFault::kJudgesByNumber) return !facts;
    const bool ended = !facts || facts->state == 'Z' || facts->state == 'X';
    return ended || std::to_string(facts->started) != owner.substr(colon + 1);
  }

  // Removes the link of an owner that is dead, after having been in the way for so long. True when
  // it is worth trying again.
  bool look_after(const std::string& name, const std::string& owner, platform::Duration seen_for) {
    if constexpr (F == LinkFault::kNoRecovery) return false;
    if constexpr (F == LinkFault::kLooksSeldom) {
      if (seen_for < kSeldom) return false;
    }
    const bool paused = F == LinkFault::kStealsFromPaused && seen_for >= kLongPause;
    if (!paused && !is_dead(owner)) return false;
    if constexpr (F == LinkFault::kTwoRescuers) return remove(name);
    if constexpr (F == LinkFault::kGuardLink) {
      if (!make_link("guard", name + ".guard")) return false;
      if (owner_of(name) == owner) remove(name);
      return remove_link(name + ".guard");
    }
    // A descriptor of its own: a guard goes with its last one, and this one's is shared.
    const platform::FileDescriptor guard = platform::open_folder_in(folder_, ".");
    if (platform::try_advisory_lock(guard) != 0) return false;
    if (F == LinkFault::kRemovesWhatItSaw || owner_of(name) == owner) remove(name);
    return true;
  }

  const platform::FileDescriptor folder_;
  std::string remembered_;
};

}  // namespace lockbench::mutants
