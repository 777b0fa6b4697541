// SPDX-License-Identifier: Apache-2.0

// How the members of a Recording are counted up. Atomic accesses are relaxed: readers need no order
// between two counts.
#pragma once

#include <algorithm>
#include <cstdint>

#include "harness/observe/recorder/recording.h"

namespace lockbench::observe {

inline constexpr std::memory_order kRelaxed = std::memory_order_relaxed;

// By the only thread that writes the count now.
inline void add_alone(Count& count, std::uint64_t more) {
  count.store(count.load(kRelaxed) + more, kRelaxed);
}

inline void add(Count& count, std::uint64_t more) {
  count.fetch_add(more, kRelaxed);
}

inline void raise_to(Count& longest, std::uint64_t value) {
  std::uint64_t seen = longest.load(kRelaxed);
  while (seen < value && !longest.compare_exchange_weak(seen, value, kRelaxed)) {
  }
}

inline void record(TickHistogram& histogram, std::uint64_t elapsed) {
  add(histogram.counts[Histogram::bucket_of(std::min(elapsed, Histogram::kLimit - 1))], 1);
  add(histogram.sum, elapsed);
  raise_to(histogram.longest, elapsed);
}

// A thread may have moved to a processor whose counter is a little behind.
inline std::uint64_t elapsed(std::uint64_t since, std::uint64_t now) {
  return now > since ? now - since : 0;
}

inline void begin_blocked(BlockedTime& blocked, std::uint64_t now) {
  if (blocked.waiters.fetch_add(1, kRelaxed) == 0) add(blocked.ticks, 0 - now);
}

inline void end_blocked(BlockedTime& blocked, std::uint64_t now) {
  if (blocked.waiters.fetch_sub(1, kRelaxed) == 1) add(blocked.ticks, now);
}

// Adds a period that is over. Periods that are added this way end one after the other, and what
// two have in common counts once.
inline void add_blocked(BlockedTime& blocked, Count& until, std::uint64_t begin,
                        std::uint64_t end) {
  const std::uint64_t from = std::max(begin, until.load(kRelaxed));
  if (end <= from) return;
  until.store(end, kRelaxed);
  add(blocked.ticks, end - from);
}

inline std::uint64_t hashed(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) * 0x9E3779B97F4A7C15U;
}

}  // namespace lockbench::observe
