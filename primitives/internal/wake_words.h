// SPDX-License-Identifier: Apache-2.0

// WakeWords: how a process that releases a lock file wakes one that waits for it.
//
// A few words in a file, `.wake`, that the processes of one user map. They decide nothing:
// only the lock files decide which process holds a lock. Whatever the words hold, a waiter looks
// again after some milliseconds, so a lost wake-up costs no more than that.
//
// A word    bit 0: a thread may sleep | bit 1: one was woken and is still trying: wake no second
//           | bits 2-31: a count that every wait and release moves on
//
// Guarantees   a waiter that slept with the value of its read() is woken by the next release;
//              memory that only this user can write is mapped, and no other.
// Not offered  the words of another user's folder, or of a file system that cannot share memory:
//              then it is not open, and waiters watch the folder instead.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "primitives/platform/file.h"
#include "primitives/platform/layout.h"
#include "primitives/platform/shared_futex.h"
#include "primitives/platform/spin.h"

namespace lockbench::internal {

class WakeWords {
 public:
  static constexpr char kName[] = ".wake";

  WakeWords() = default;

  // `trouble` receives what is wrong if another file is in its place.
  WakeWords(const platform::FileDescriptor& folder, std::string& trouble) {
    const platform::FileDescriptor file = platform::open_private_file(folder, kName);
    if (!file.open()) {
      if (errno == ELOOP) trouble = "is a symbolic link";
      return;
    }
    platform::FileFacts facts;
    if (platform::facts_of(file, facts) != 0) return;
    if (!facts.regular) {
      trouble = "is no plain file";
    } else if (facts.owner != platform::this_user()) {
      return;  // it belongs to another user of the folder
    } else if (facts.links != 1) {
      trouble = "has a second name somewhere";
    } else if ((facts.mode & platform::FileFacts::kForGroupOrOthers) != 0) {
      trouble = "may be used by others than its owner";
    } else if (facts.bytes != 0 && facts.bytes != kBytes) {
      trouble = "holds something else";
    }
    if (!trouble.empty() || platform::reserve_bytes(file, kBytes) != 0) return;
    words_ = static_cast<Word*>(platform::map_shared(file, kBytes));
  }

  WakeWords(WakeWords&& other) noexcept : words_(std::exchange(other.words_, nullptr)) {}
  WakeWords& operator=(WakeWords&& other) noexcept {
    std::swap(words_, other.words_);
    return *this;
  }
  ~WakeWords() {
    if (words_ != nullptr) platform::unmap_shared(words_, kBytes);
  }

  bool open() const { return words_ != nullptr; }

  // Locks that share a word wake each other's waiters needlessly.
  std::uint32_t read(std::uint64_t hash) const {
    // (1) acquire: synchronizes with (2); a release that is counted has removed its lock file.
    return word(hash).load(std::memory_order_acquire);
  }

  // Sleeps until a release after the read() that returned `seen`, or `deadline`. A waiter
  // that was woken must call settle().
  platform::FutexWait sleep(std::uint64_t hash, std::uint32_t seen, platform::Time deadline) {
    platform::SharedWord& value = word(hash);
    // A releaser that would clear the mark sees from the new count that a waiter came.
    // relaxed: the kernel reads the word again, and no other data depends on it.
    std::uint32_t marked = 0;
    std::uint32_t expected = seen;
    do {
      if (((expected ^ seen) & ~kWaking) != 0) return platform::FutexWait::kChanged;
      marked = (expected + kStep) | kSleepers;
    } while (!value.compare_exchange_weak(expected, marked, std::memory_order_relaxed));
    return platform::shared_futex_wait(value, marked, deadline);
  }

  // Spins until a release or another waiter comes after the read() that returned `seen`, for
  // about 25 us, less than a sleep and a wake-up cost. False if none came.
  bool spin(std::uint64_t hash, std::uint32_t seen) const {
    constexpr int kPauses = 1000;
    for (int i = 0; i < kPauses; ++i) {
      // relaxed: a hint when to try.
      if (((word(hash).load(std::memory_order_relaxed) ^ seen) & ~kWaking) != 0) return true;
      platform::pause();
    }
    return false;
  }

  // Lets releases wake again: the waiter that was woken has the lock, sleeps, or was killed.
  void settle(std::uint64_t hash) {
    word(hash).fetch_and(~kWaking, std::memory_order_relaxed);  // relaxed: a hint
  }

  // After the lock file was removed.
  void wake_one(std::uint64_t hash) {
    platform::SharedWord& value = word(hash);
    // (2) release: synchronizes with (1).
    std::uint32_t now = value.fetch_add(kStep, std::memory_order_release) + kStep;
    do {
      if ((now & kSleepers) == 0 || (now & kWaking) != 0) return;
    } while (!value.compare_exchange_weak(now, now | kWaking, std::memory_order_relaxed));
    if (platform::shared_futex_wake(value, 1) != 0) return;
    // No thread slept. Unless one came meanwhile, the next release need not call the kernel.
    std::uint32_t unchanged = now | kWaking;
    if (!value.compare_exchange_strong(unchanged, now & ~kSleepers, std::memory_order_relaxed)) {
      value.fetch_and(~kWaking, std::memory_order_relaxed);
    }
  }

 private:
  static constexpr std::uint32_t kSleepers = 1;
  static constexpr std::uint32_t kWaking = 2;
  static constexpr std::uint32_t kStep = 4;
  static constexpr std::size_t kWords = 64;

  struct alignas(platform::kCacheLine) Word {
    platform::SharedWord value;
  };
  static constexpr std::size_t kBytes = kWords * sizeof(Word);

  platform::SharedWord& word(std::uint64_t hash) const { return words_[hash % kWords].value; }

  Word* words_ = nullptr;
};

}  // namespace lockbench::internal
