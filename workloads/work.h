// SPDX-License-Identifier: Apache-2.0

// Performing Work: what a thread does inside the critical section or between two operations.
//
// A spin is a chain of dependent multiplications whose speed was measured just before. It reads no
// clock, so a hold of 100 ns does not consist of clock calls, and a hyper-threaded sibling hardly
// slows it. For durations of kClockedFrom and more, the clock is read between parts of the chain,
// so that a change of the processor's frequency does not lengthen a long hold. A chain has a fence
// at both ends; without them, the processor would start the next chain before the last one has
// ended.
#pragma once

#include <cstdint>

#include "primitives/platform/layout.h"
#include "workloads/settings.h"

namespace lockbench {

// The speed of the multiplication chain on this machine at this time, and its fixed costs.
struct SpinPace {
  double steps_per_ns = 1;
  double entry_ns = 0;          // of a chain without steps: the cost of its fences
  double clocked_entry_ns = 0;  // of a spin with clock: the cost of clock reads and arithmetic
  double random_ns = 0;         // of a random duration: what it takes beyond itself
  double clock_ns = 0;          // of one reading of the clock

  // Takes 1-2 ms. The result is the best of several attempts, because disturbance can only slow an
  // attempt.
  static SpinPace measure();
};

inline constexpr Nanoseconds kClockedFrom{500};

struct alignas(platform::kCacheLine) CacheLine {
  std::uint64_t words[platform::kCacheLine / sizeof(std::uint64_t)] = {};
};

// Seeds the random durations of the work that this thread performs.
void seed_random_work(std::uint64_t seed);

// From now on, spins of this thread are a number of steps and never end by the clock: on a core
// that is slower than the one whose pace was measured, the same work takes longer.
void spin_by_steps();

// Does one kind of work repeatedly. `scratch` is what kTouch writes: `work.lines` cache lines that
// the caller may write at that time.
class Worker {
 public:
  // The two works of an operation, each of which has random durations of its own.
  enum class Role { kHold, kThink };

  Worker(const Work& work, const SpinPace& pace, Role role = Role::kHold);

  void perform(CacheLine* scratch) const {
    if (work_.kind == Work::Kind::kNone) return;
    perform_some(scratch);
  }

  std::uint32_t lines() const { return work_.kind == Work::Kind::kTouch ? work_.lines : 0; }

 private:
  void perform_some(CacheLine* scratch) const;

  Work work_;
  SpinPace pace_;
  [[maybe_unused]] Role role_;
  // kSpin below kClockedFrom: computed once, in advance. Simulated threads spin in virtual time.
  [[maybe_unused]] std::uint64_t chain_steps_;
};

}  // namespace lockbench
