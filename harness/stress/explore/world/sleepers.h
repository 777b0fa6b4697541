// SPDX-License-Identifier: Apache-2.0

// Sleepers: the threads that sleep, in the order in which they fell asleep.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/stress/explore/world/simulated_clock.h"

namespace lockbench::stress::explore {

// A wake-up reaches a sleeper if both name a common channel. The kernel's futex has 32 (BITSET) for
// calls that are private to a process, and 32 others for calls that are not: it looks for the
// sleepers of the two under different keys.
using WakeChannels = std::uint64_t;
inline constexpr WakeChannels kAllChannels = ~WakeChannels{0};

struct Sleep {
  std::uint32_t thread = 0;
  const void* word = nullptr;  // null: it waits for a time or joins a thread
  WakeChannels channels = kAllChannels;
  std::uint32_t joins = 0;  // the thread that it joins; 0: none
  std::int64_t deadline_ns = SimulatedClock::kNever;

  bool is_until_a_time() const { return word == nullptr && joins == 0; }
};

class Sleepers {
 public:
  void clear() { sleeps_.clear(); }
  void add(const Sleep& sleep) { sleeps_.push_back(sleep); }
  void remove(std::uint32_t thread);
  // The thread sleeps on this word from now on. It keeps its position in the order.
  void move(std::uint32_t thread, const void* to);

  // Null if the thread does not sleep.
  const Sleep* find(std::uint32_t thread) const;
  // The first thread that sleeps on the word; absent if none does.
  std::optional<std::uint32_t> first_on(const void* word, WakeChannels channels) const;
  // How many sleep on the word; `most` if they are more.
  int count_on(const void* word, WakeChannels channels, int most) const;
  // The first moment at which one of them wakes up; kNever if none does.
  std::int64_t first_deadline_ns() const;

 private:
  std::vector<Sleep> sleeps_;
};

}  // namespace lockbench::stress::explore
