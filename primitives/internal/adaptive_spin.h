// SPDX-License-Identifier: Apache-2.0

// AdaptiveSpin: whether a thread that waits spins before it sleeps.
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

  // Whether the spin ended with success.
  void note(bool success) {
    if (success) {
      credit_ = kMost;
    } else if (credit_ != 0) {
      --credit_;
    }
  }

 private:
  // A simulation decides by choice, not by time, whether a spin succeeds.
  static constexpr bool kAlways = platform::spins(2) != 2;
  static constexpr int kMost = 4;
  static constexpr int kEvery = 8;

  int credit_ = kMost;
  int passed_over_ = 0;
};

}  // namespace lockbench::internal
