// SPDX-License-Identifier: Apache-2.0

// Futex: sleep until a 32-bit word is said to have changed.
//
// Guarantees   a waiter that finds the word different from `expected` does not sleep; a wake that
//              comes after the word was changed reaches a waiter that had seen the old value. errno
//              stays as it was.
// Not offered  freedom from spurious returns: callers look at the word again. Waking needs only the
//              address, never the memory behind it, so a word may be gone by the time it is woken.
// Requires     words that are not shared between processes.
// Source       U. Drepper, "Futexes Are Tricky", 2011.
#pragma once

#include "primitives/platform/system.h"

#if defined(LOCKBENCH_SIMULATE)
#include "primitives/platform/simulated/futex.h"
#elif defined(LOCKBENCH_PORTABLE)
#include "primitives/platform/portable/futex.h"
#elif defined(LOCKBENCH_ON_WINDOWS)
#include "primitives/platform/windows/futex.h"
#else

#include <cerrno>
#include <cstdint>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/errno.h"

namespace lockbench::platform {

using FutexWord = Atomic<std::uint32_t>;
static_assert(sizeof(FutexWord) == 4 && FutexWord::is_always_lock_free);

namespace internal {

// The kernel takes the deadline as an absolute time on CLOCK_MONOTONIC, the clock behind `Clock`.
inline timespec to_timespec(Time deadline) noexcept {
  const auto ns = std::chrono::nanoseconds(deadline.time_since_epoch()).count();
  if (ns <= 0) return {};
  return {.tv_sec = static_cast<time_t>(ns / 1'000'000'000),
          .tv_nsec = static_cast<long>(ns % 1'000'000'000)};
}

}  // namespace internal

// Sleeps while `word` holds `expected`, until woken, interrupted, or `deadline`. Returns false when
// the deadline passed, true otherwise; true says nothing of the word.
inline bool futex_wait(const FutexWord& word, std::uint32_t expected,
                       Time deadline = kForever) noexcept {
  const KeptErrno kept;
  const timespec until = internal::to_timespec(deadline);
  const timespec* timeout = deadline == kForever ? nullptr : &until;
  const long result = syscall(SYS_futex, &word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, expected,
                              timeout, nullptr, FUTEX_BITSET_MATCH_ANY);
  return !(result == -1 && errno == ETIMEDOUT);
}

// Wakes at most `count` threads that sleep on `word`.
inline void futex_wake(const FutexWord& word, int count) noexcept {
  const KeptErrno kept;
  syscall(SYS_futex, &word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, count, nullptr, nullptr, 0);
}

}  // namespace lockbench::platform

#endif
