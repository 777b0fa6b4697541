// SPDX-License-Identifier: Apache-2.0

// Loops over what the kernel does: it wakes, interrupts and switches threads. Times are in
// nanoseconds.
#pragma once

#include <cstdint>

#include "harness/predict/calibrate/loop_parts.h"

namespace lockbench::calibration {

struct WakeTimes {
  double call = 0;    // of the thread that wakes
  double wakeup = 0;  // from the end of that call until the other one runs
};

// `a` wakes `b`, which sleeps on another processor.
WakeTimes wake_times(Runner& runner, int a, int b, std::uint32_t rounds);

struct BarrierTimes {
  double call = 0;
  double delay = 0;  // of the thread that is interrupted
};

// `a` runs heavy barriers while `b` looks at the clock, which shows when it was interrupted.
BarrierTimes barrier_times(Runner& runner, int a, int b, std::uint32_t barriers);

// From one change of two threads of a processor to the next. `yields`: they call yield all the
// time; else they compute, and the kernel ends their slices.
double turn_ns(Runner& runner, int processor, std::uint32_t changes, bool yields);

// One thread sleeps, and the other of the processor, which has yielded before, runs.
double sleep_switch(Runner& runner, int processor, std::uint32_t rounds);

}  // namespace lockbench::calibration
