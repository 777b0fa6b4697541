// SPDX-License-Identifier: Apache-2.0

// Stage: what the threads of an epoch share.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <sched.h>
#include <vector>

#include "harness/stress/real/board.h"
#include "harness/stress/real/epoch_plan.h"
#include "harness/stress/real/watch.h"
#include "harness/stress/suspect.h"
#include "primitives/platform/spin.h"

namespace lockbench::stress::real {

// The clock of the suspects' timeouts.
inline std::int64_t now_ns() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

class Stage {
 public:
  Stage(Board& shared, const Lineup& who, const EpochPlan& what, Suspect& made)
      : board(shared),
        lineup(who),
        plan(what),
        suspect(made),
        capacity(made.capacity()),
        watches_(std::size_t{plan.keys} * capacity) {}

  Watch& watch(std::uint32_t key, std::uint32_t lease) {
    return watches_[std::size_t{key} * capacity + lease];
  }

  // relaxed: it carries nothing else.
  bool stopping() const { return stop_.load(std::memory_order_relaxed); }
  void stop() { stop_.store(true, std::memory_order_relaxed); }

  // Returns when as many threads as the epoch has are here, or when it stops. A wake-up that was
  // lost is healed by the next contention for the lock; here there is none, thousands of times in
  // an epoch. And from here all run for the lock at once.
  void meet() {
    // (1) acquire: synchronizes with (2).
    const std::uint32_t meeting = meetings_.load(std::memory_order_acquire);
    // relaxed: the number is all that is read.
    if (there_.fetch_add(1, std::memory_order_relaxed) + 1 == plan.client.threads.size()) {
      there_.store(0, std::memory_order_relaxed);
      meetings_.store(meeting + 1, std::memory_order_release);  // (2) publishes there_ to (1)
      return;
    }
    // The others are near: whoever yields at once comes back late, and meets nobody at the lock.
    constexpr int kSpins = 200;
    for (int i = 0; meetings_.load(std::memory_order_acquire) == meeting && !stopping(); ++i) {
      i < kSpins ? platform::pause() : static_cast<void>(sched_yield());
    }
  }

  // Since when a thread unlocks what another may hold, it is not told which hold that hit.
  void let_a_stranger_unlock() { strangers_.store(true, std::memory_order_relaxed); }
  bool had_strangers() const { return strangers_.load(std::memory_order_relaxed); }

  Board& board;
  const Lineup& lineup;
  const EpochPlan& plan;
  Suspect& suspect;
  const std::uint32_t capacity;

 private:
  std::vector<Watch> watches_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> strangers_{false};
  std::atomic<std::uint32_t> there_{0};
  std::atomic<std::uint32_t> meetings_{0};
};

}  // namespace lockbench::stress::real
