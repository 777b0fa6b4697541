// SPDX-License-Identifier: Apache-2.0

// LinkLock: a lock between processes, a symbolic link that says who holds it, with at most one
// fault. Without any it is correct: the link appears in one step and only where there was none; a
// dead owner's is removed under a guard that one process has at a time, having been read again.
#pragma once

#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
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
};

template <LinkFault F>
class LinkLock {
 public:
  static constexpr Promises kPromises{.lock_per_key = true, .scope = Scope::kProcess};

  class Handle {
   public:
    Handle(LinkLock& lock, std::uint64_t key)
        : lock_(lock), name_(std::to_string(key) + ".lock"), self_(own_text()) {}
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
      if (lock_.owner_of(name_) == self_) platform::remove_file(lock_.folder_, name_.c_str());
    }

   private:
    bool take() {
      if constexpr (F == LinkFault::kTestsThenMakes) {
        if (!lock_.owner_of(name_).empty()) return false;
        platform::remove_file(lock_.folder_, name_.c_str());
      }
      return platform::make_symlink(lock_.folder_, self_.c_str(), name_.c_str()) == 0;
    }

    LinkLock& lock_;
    const std::string name_;
    const std::string self_;
  };

  explicit LinkLock(const std::string& folder) : folder_(platform::open_folder(folder.c_str())) {}

  Handle handle(std::uint64_t key) { return Handle(*this, key); }

  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this; }

 private:
  static constexpr platform::Duration kPoll = std::chrono::microseconds(500);
  static constexpr platform::Duration kLongPause = std::chrono::milliseconds(8);
  static constexpr platform::Duration kSeldom = std::chrono::milliseconds(160);

  static std::string own_text() {
    const platform::ProcessId self = platform::this_process();
    const auto facts = platform::process_facts(self);
    return std::to_string(self) + ":" + std::to_string(facts ? facts->started : 0);
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
    if constexpr (F == LinkFault::kTwoRescuers) {
      return platform::remove_file(folder_, name.c_str()) == 0;
    }
    // A descriptor of its own: a guard goes with its last one, and this one's is shared.
    const platform::FileDescriptor guard = platform::open_folder_in(folder_, ".");
    if (platform::try_advisory_lock(guard) != 0) return false;
    if (owner_of(name) == owner) platform::remove_file(folder_, name.c_str());
    return true;
  }

  const platform::FileDescriptor folder_;
};

}  // namespace lockbench::mutants
