// SPDX-License-Identifier: Apache-2.0

// Shared futex: sleep until a 32-bit word in memory that processes share is said to have changed.
//
// Guarantees   as futex.h, and between processes that map the same file or are parent and child.
// Not offered  use by a scheduler that decides interleavings: processes are the kernel's.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "primitives/platform/clock.h"

namespace lockbench::platform {

using SharedWord = std::atomic<std::uint32_t>;
static_assert(sizeof(SharedWord) == 4 && SharedWord::is_always_lock_free);

enum class FutexWait { kWoken, kChanged, kTimedOut };

// Sleeps while `word` holds `expected`, until woken or `deadline`. An interruption counts as
// kChanged; none of the three says what the word holds now.
inline FutexWait shared_futex_wait(const SharedWord& word, std::uint32_t expected,
                                   Time deadline = kForever) noexcept {
  const auto ns = std::chrono::nanoseconds(deadline.time_since_epoch()).count();
  const timespec until{.tv_sec = static_cast<time_t>(ns / 1'000'000'000),
                       .tv_nsec = static_cast<long>(ns % 1'000'000'000)};
  const long result =
      syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, expected,
              deadline == kForever ? nullptr : &until, nullptr, FUTEX_BITSET_MATCH_ANY);
  if (result == 0) return FutexWait::kWoken;
  return errno == ETIMEDOUT ? FutexWait::kTimedOut : FutexWait::kChanged;
}

// Wakes at most `count` threads that sleep on `word`, of any process; returns how many did.
inline int shared_futex_wake(const SharedWord& word, int count) noexcept {
  return static_cast<int>(syscall(SYS_futex, &word, FUTEX_WAKE, count, nullptr, nullptr, 0));
}

}  // namespace lockbench::platform
