// SPDX-License-Identifier: Apache-2.0

// SpinLuck: whether it pays this thread to look for a while before it sleeps.
//
// It does where the holder runs on another processor and will soon be through. It does not where
// holders wait for a processor, or hold for long. Which of them it is, the thread's last waits
// tell: looking that was in vain makes it less likely to be tried again, and after some in a row
// only every eighth wait begins with it.
//
// Guarantees   no lock's correctness depends on what it says.
// Not offered  a record for each lock: a thread that waits for short holds here and for long ones
//              there is lucky in between.
// Cost         a variable of the thread, where it waits anyway.
// Source       the HotSpot virtual machine adapts its spinning by the success of what came before,
//              too, for each monitor.
#pragma once

#include "primitives/platform/spin.h"
#include "primitives/platform/thread.h"

namespace lockbench::internal {

class [[gnu::visibility("default")]] SpinLuck {
 public:
  static SpinLuck& of_thread() {
    return platform::of_this_thread<SpinLuck>();
  }

  bool worth_a_try() {
    if (kAlways || luck_ != 0) return true;
    if (++passed_over_ < kEvery) return false;
    passed_over_ = 0;
    return true;
  }

  // What was waited for came, or did not, before the looking was over.
  void note(bool came) {
    if (came) {
      luck_ = kMost;
    } else if (luck_ != 0) {
      --luck_;
    }
  }

 private:
  // A simulation decides by choice what comes in time.
  static constexpr bool kAlways = platform::spins(2) != 2;
  static constexpr int kMost = 4;
  static constexpr int kEvery = 8;

  int luck_ = kMost;
  int passed_over_ = 0;
};

}  // namespace lockbench::internal
