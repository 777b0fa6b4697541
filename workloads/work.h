// SPDX-License-Identifier: Apache-2.0

// Performing Work: what a thread does inside the critical section or between two operations.
//
// A spin is a chain of dependent multiplications whose pace was measured just before: it reads no
// clock, so a hold of 100 ns is not made of clock calls, and a hyper-threaded sibling hardly slows
// it. From kClockedFrom on the clock is read along the way and the chain fills in the rest, so that
// a change of the processor's pace does not stretch a long hold. A chain is fenced at both ends:
// left alone, the processor would start the next one before the last has ended.
#pragma once

#include <cstdint>

#include "primitives/platform/layout.h"
#include "workloads/settings.h"

namespace lockbench {

// The pace of the multiplication chain on this machine, now, and what comes on top of it.
struct SpinPace {
  double steps_per_ns = 1;
  double entry_ns = 0;          // of a chain without steps: its fences
  double clocked_entry_ns = 0;  // of a spin by the clock: of reading it, and of working it out

  // Takes 1-2 ms; the best of several tries, since disturbance only ever slows.
  static SpinPace measure();
};

inline constexpr Nanoseconds kClockedFrom{500};

struct alignas(platform::kCacheLine) CacheLine {
  std::uint64_t words[platform::kCacheLine / sizeof(std::uint64_t)] = {};
};

// Does one kind of work again and again. `scratch` is what kTouch writes: `work.lines` lines that
// the caller may write at that moment.
class Worker {
 public:
  Worker(const Work& work, const SpinPace& pace);

  void perform(CacheLine* scratch) const {
    if (work_.kind == Work::Kind::kNone) return;
    perform_some(scratch);
  }

  std::uint32_t lines() const { return work_.kind == Work::Kind::kTouch ? work_.lines : 0; }

 private:
  void perform_some(CacheLine* scratch) const;

  Work work_;
  SpinPace pace_;
  std::uint64_t chain_steps_;  // kSpin below kClockedFrom: worked out once, ahead
};

}  // namespace lockbench
