// SPDX-License-Identifier: Apache-2.0

// AdaptiveSpin: whether, how long and how often a thread that waits looks before it sleeps. The one
// place that decides this for locks whose state a waiting thread can read.
//
// Spinning pays if the holder runs on another processor and releases soon. It does not pay if
// holders wait for a processor, or hold for long. The thread's last waits show which is the case:
// each spin that ended without success makes the next one less likely, and after kMost of them in a
// row only every eighth wait begins with a spin.
//
// Guarantees   no lock's correctness depends on it.
// Not offered  a state for each lock: short holds of one lock and long holds of another, by the
//              same thread, affect each other.
// Cost         a variable of the thread, used only where it waits.
// Source       the HotSpot virtual machine also adapts spinning by earlier success, per monitor.
#pragma once

#include <algorithm>
#include <chrono>

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
  // would have. Looks less and less often: each look takes the cache line from the holder, which
  // otherwise does several short operations without a transfer. Later on, yields before each look:
  // where more threads than processors can run, others do, perhaps the holder. What they use is not
  // this thread's, and so it does not count, up to kLongest. Returns whether look() returned true.
  // `since`: when the spin began, about; not set if it ended within some microseconds.
  template <class Look>
  static bool spin_until(const Look& look, platform::Time deadline, platform::Time& since) {
    int pauses = 1;
    int all_pauses = 0;
    for (int looks = 0; !look();) {
      for (int i = 0; i < pauses; ++i) platform::pause();
      if (kAlways) return false;
      if (pauses < kUsualPauses) {
        pauses *= 2;
        continue;
      }
      const platform::Time now = platform::now();
      if (looks == 0) since = now;
      all_pauses += pauses;
      if (all_pauses >= kAllPauses || now - since >= kLongest || now >= deadline) return false;
      if (++looks % kLooksOfALength == 0 && pauses < of_process().most_pauses) pauses *= 2;
      platform::yield();
    }
    return true;
  }

  // Whether the spin ended with success, which it returns.
  bool note(bool success) {
    if (success) {
      credit_ = kMost;
    } else if (credit_ != 0) {
      --credit_;
    }
    return success;
  }

 private:
  // As many threads can spin as there are processors, and each look takes the cache line. So on
  // large machines those that wait for long look less and less often: each 6 us in the end, with 32
  // processors or more, instead of each 1.5 us.
  struct Intervals {
    const int most_pauses =
        static_cast<int>(std::clamp(8 * platform::processors(), 1U * kUsualPauses, 256U));
  };
  static const Intervals& of_process() {
    return platform::of_this_process<Intervals>();
  }

  // A simulation decides by choice, not by time, whether a spin succeeds.
  static constexpr bool kAlways = platform::spins(2) != 2;
  static constexpr int kUsualPauses = 64;  // 1.5 us on x86-64 since Skylake
  static constexpr int kLooksOfALength = 4;
  // 37 us.
  static constexpr int kAllPauses = 1536;
  static constexpr platform::Duration kLongest = std::chrono::milliseconds(10);
  static constexpr int kMost = 4;
  static constexpr int kEvery = 8;

  int credit_ = kMost;
  int passed_over_ = 0;
};

}  // namespace lockbench::internal
