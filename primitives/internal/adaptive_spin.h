// SPDX-License-Identifier: Apache-2.0

// AdaptiveSpin: whether, how long and how often a thread that waits looks before it sleeps. The one
// place that decides this for locks whose state a waiting thread can read.
//
// Spinning pays if the holder runs on another processor and releases soon. It does not pay if
// holders wait for a processor, or hold for long. The thread's last waits show which is the case:
// each spin that ended without success makes the next one less likely, and after kMost of them in a
// row only every eighth wait begins with a spin. look_pace.h says how often it looks.
//
// Guarantees   no lock's correctness depends on it.
// Not offered  a state for each lock: short holds of one lock and long holds of another, by the
//              same thread, affect each other.
// Cost         a variable of the thread, used only where it waits.
// Source       the HotSpot virtual machine also adapts spinning by earlier success, per monitor.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "primitives/internal/look_pace.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/spin.h"
#include "primitives/platform/thread.h"

namespace lockbench::internal {

class [[gnu::visibility("default")]] AdaptiveSpin {
 public:
  static AdaptiveSpin& of_thread() {
    return platform::of_this_thread<AdaptiveSpin>();
  }

  bool should_spin() {
    if (kAlways || credit_ != 0) return true;
    if (++passed_over_ < kEvery) return false;
    passed_over_ = 0;
    return true;
  }

  // Calls look() until it returns true; at most until this thread has spent as much processor time
  // as it costs to park and to be woken. So the wait costs at most twice what the better choice
  // would have. Each microsecond or two it yields: where more threads than processors can run,
  // others do, perhaps the holder. What they use is not this thread's, and so it does not count, up
  // to kLongest. Returns whether look() returned true. `since`: when the spin began, about; not set
  // if it ended within some microseconds.
  template <class Look>
  bool spin_until(const Look& look, platform::Time deadline, platform::Time& since) {
    if (kAlways) return look_once(look);
    const OfProcess& process = of_process();
    pace_.begin(process.hit, process.prompt);
    int pauses = 1;  // between two looks, where there are no ticks
    platform::Time turn_began{};
    platform::Duration own_time{};
    for (int turns = 1;; ++turns) {
      if (platform::kHasTicks ? look_for_a_turn(look) : look_for_some_pauses(look, pauses)) {
        return true;
      }
      const platform::Time now = platform::now();
      if (turns == 1) turn_began = since = now;
      own_time += now - turn_began;
      const bool spent = platform::kHasTicks ? own_time >= kMostOwnTime : turns >= kMostTurns;
      if (spent || now - since >= kLongest || now >= deadline) return false;
      if (turns % kTurnsOfALength == 0) {
        pace_.relax(process.longest);
        pauses = std::min(2 * pauses, kUsualPauses * static_cast<int>(process.longest));
      }
      platform::yield();
      turn_began = platform::now();
    }
  }

  // Notes whether the spin ended with success, which it returns.
  bool note(bool success) {
    if (success) {
      credit_ = kMost;
    } else if (credit_ != 0) {
      --credit_;
    }
    return success;
  }

 private:
  struct OfProcess {
    OfProcess() {
      if (!platform::kHasTicks) return;
      const platform::Atomic<std::uint32_t> line{0};
      for (int i = 0; i < kTimedHits; ++i) {
        const std::uint64_t before = platform::ticks();
        // relaxed: only its time counts.
        line.load(std::memory_order_relaxed);
        hit = std::min(hit, std::max<std::uint64_t>(1, platform::ticks() - before));
      }
    }

    std::uint64_t hit = ~std::uint64_t{0};  // ticks of a look at a line of this core
    // Prompt waits pay where one thread can spin while another one holds the lock. Several that
    // spin would take the line from each other.
    bool prompt = platform::processors() <= 2;
    // The longest interval, in usual ones. As many threads can spin as there are processors, and
    // each look takes the line. So on large machines those that wait for long look less and less
    // often.
    std::uint64_t longest = std::clamp(platform::processors() / 8, 1U, 4U);
  };
  static const OfProcess& of_process() {
    return platform::of_this_process<OfProcess>();
  }

  // A simulation decides by choice, not by time, whether a spin succeeds.
  template <class Look>
  static bool look_once(const Look& look) {
    if (look()) return true;
    platform::pause();
    return false;
  }

  // Looks at least once.
  template <class Look>
  bool look_for_a_turn(const Look& look) {
    const std::uint64_t began = platform::ticks();
    for (std::uint64_t now = began; now - began < pace_.usual_interval();) {
      if (look()) return true;
      const std::uint64_t after = platform::ticks();
      pace_.note(after - now);
      do {
        platform::pause();
        now = platform::ticks();
      } while (now - after < pace_.interval());
    }
    return false;
  }

  // The same where nothing tells what a look costs: the interval doubles with each of them.
  template <class Look>
  static bool look_for_some_pauses(const Look& look, int& pauses) {
    for (int all = 0; all < kUsualPauses;) {
      if (look()) return true;
      for (int i = 0; i < pauses; ++i) platform::pause();
      all += pauses;
      if (pauses < kUsualPauses) pauses *= 2;
    }
    return false;
  }

  static constexpr bool kAlways = platform::spins(2) != 2;
  static constexpr int kTimedHits = 16;
  static constexpr int kTurnsOfALength = 4;
  static constexpr int kUsualPauses = 64;  // 1.5 us on x86-64 since Skylake
  static constexpr int kMostTurns = 24;
  static constexpr platform::Duration kMostOwnTime = std::chrono::microseconds(37);
  static constexpr platform::Duration kLongest = std::chrono::milliseconds(10);
  static constexpr int kMost = 4;
  static constexpr int kEvery = 8;

  LookPace pace_;
  int credit_ = kMost;
  int passed_over_ = 0;
};

}  // namespace lockbench::internal
