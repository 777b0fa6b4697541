// SPDX-License-Identifier: Apache-2.0

// Building blocks for simulated library calls that wait: a mutex, and accesses to the words of such
// objects. A header without a source file, for wrapped_calls.cc and wrapped_waits.cc.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <ctime>

#include "harness/stress/simulated/simulated_program.h"
#include "primitives/platform/simulated/hooks.h"

namespace lockbench::stress::explore::waits {

namespace simulated = lockbench::platform::simulated;

inline constexpr std::int64_t kNever = INT64_MAX;
inline constexpr std::int64_t kSecond = 1'000'000'000;

// True if the nanoseconds are fewer than a second. The library and the kernel refuse other ones by
// EINVAL.
inline bool has_nanoseconds(const timespec* time) {
  return time->tv_nsec >= 0 && time->tv_nsec < kSecond;
}

// The same for a time of the kernel's own calls, which must not be negative either.
inline bool is_time(const timespec* time) {
  return time->tv_sec >= 0 && has_nanoseconds(time);
}

// A time that does not fit is never.
inline std::int64_t ns_of(const timespec* time) {
  if (time->tv_sec >= kNever / kSecond) return kNever;
  if (time->tv_sec <= -(kNever / kSecond)) return -kNever;
  return time->tv_sec * kSecond + time->tv_nsec;
}

// The time that is `ns` nanoseconds from now.
inline std::int64_t after(std::int64_t ns) {
  const std::int64_t now = simulated::now_ns();
  return ns >= kNever - now ? kNever : now + ns;
}

// ---- clocks. The wall clock is far ahead of the others, so that a deadline of one of them never
// fits the other. A coarse clock shows the time of the last tick. None is ever set.

inline constexpr std::int64_t kWallClockAheadNs = 1'700'000'000 * kSecond;
inline constexpr std::int64_t kTickNs = 4'000'000;

inline std::int64_t ahead_ns(clockid_t clock) {
  const bool is_wall_clock =
      clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
  return is_wall_clock ? kWallClockAheadNs : 0;
}

inline std::int64_t now_of(clockid_t clock) {
  const bool is_coarse = clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE;
  const std::int64_t now = simulated::now_ns();
  return now - (is_coarse ? now % kTickNs : 0) + ahead_ns(clock);
}

// The virtual time at which the clock shows `until`.
inline std::int64_t deadline_of(clockid_t clock, const timespec* until) {
  const std::int64_t ns = ns_of(until);
  return ns == kNever ? kNever : std::max(ns, ahead_ns(clock) - kNever) - ahead_ns(clock);
}

// Makes `word` known to the simulation: nothing announces that a program waits on it.
inline void* shared_word(void* word) {
  SimulatedProgram::running()->add_unannounced_word(word, 4);
  return word;
}

inline std::uint32_t load(void* word) {
  return static_cast<std::uint32_t>(
      simulated::load(shared_word(word), 4, std::memory_order_acquire));
}

inline std::uint32_t exchange(void* word, std::uint32_t value, std::memory_order order) {
  const std::uint64_t old = simulated::begin_update(shared_word(word), 4, order);
  simulated::end_update(word, 4, value, true, order);
  return static_cast<std::uint32_t>(old);
}

// Replaces the value of the word by change(value) if that is a different value; returns the old
// value. Under c11 it always reads what a read-modify-write may read, even if it then writes
// nothing.
template <class Change>
std::uint32_t update(void* word, std::memory_order order, const Change& change) {
  const auto old = static_cast<std::uint32_t>(simulated::begin_update(shared_word(word), 4, order));
  const std::uint32_t changed = change(old);
  simulated::end_update(word, 4, changed, changed != old, order);
  return old;
}

// ---- a mutex in the first four bytes: 0 free | 1 held | 2 held, and threads may sleep

inline bool try_lock(void* word) {
  constexpr auto kOrder = std::memory_order_acquire;
  const bool free = simulated::begin_compare(shared_word(word), 4, 0, kOrder, kOrder) == 0;
  simulated::end_update(word, 4, 1, free, kOrder);
  return free;
}

// Returns false if the deadline has passed.
inline bool lock_until(void* word, std::int64_t deadline_ns) {
  if (try_lock(word)) return true;
  while (exchange(word, 2, std::memory_order_acquire) != 0) {
    if (!simulated::wait(word, 2, deadline_ns)) return false;
  }
  return true;
}

inline void lock(void* word) {
  lock_until(word, kNever);
}

inline void unlock(void* word) {
  if (exchange(word, 0, std::memory_order_release) == 2) simulated::wake(word, 1);
}

// The library's handle of a simulated thread. The handles are as far apart as stacks or thread
// numbers of the kernel may be, so that a lock that uses only a part of the bits cannot distinguish
// the threads.
inline std::uint64_t handle_of(std::uint32_t number) {
  return std::uint64_t{0x1000000} * number;
}
inline std::uint32_t number_of_handle(std::uint64_t handle) {
  return static_cast<std::uint32_t>(handle / 0x1000000);
}
inline int task_of(std::uint32_t number) {
  return static_cast<int>(number << 16);
}

}  // namespace lockbench::stress::explore::waits
