// SPDX-License-Identifier: Apache-2.0

// MeasuredFigures: what the loops have measured, in nanoseconds, before anything is subtracted.
#pragma once

#include <optional>
#include <vector>

namespace lockbench::calibration {

struct MeasuredFigures {
  // One access, on a line that the processor has.
  double load = 0;
  double store = 0;
  double exchange = 0;
  std::optional<double> load_beside_sibling;  // while the core's other thread does the same

  double memory_load = 0;  // of a line that no cache has; the next load needs its value
  double pause = 0;
  double clock = 0;

  // Between two threads that change a word in turn by compare-exchange: a row for each core, zeros
  // on the diagonal; the other threads of a core by the median core.
  std::vector<double> handovers;
  std::optional<double> sibling_handover;

  // By how much longer it takes to read a line that another core has written than an own line, and
  // then to write it. Absent if there is one core.
  std::optional<double> foreign_read;
  std::optional<double> foreign_write;

  // A step on one of many pairs of lines, alone, and while another core does the same, so that the
  // lines of every second step are there. Absent if there is one core.
  std::optional<double> step_alone;
  std::optional<double> step_beside_other;

  double yield = 0;         // no other thread waits for the processor
  double yield_switch = 0;  // the same until the next thread has looked at the clock
  double futex_call = 0;    // a wake-up that finds no thread
  double slice = 0;         // between two changes of two threads that compute on one processor

  // From a thread's look at the clock before it sleeps to that of the next thread of its processor.
  double sleep_switch = 0;

  // Absent if there is one processor. The call that wakes a thread, with a look at the clock; and
  // from its end until that thread has looked at the clock.
  std::optional<double> wake_call;
  std::optional<double> wakeup;

  // One membarrier while a thread runs on another processor, with a look at the clock, and by how
  // much that delays the thread.
  std::optional<double> barrier_call;
  std::optional<double> barrier_delay;
};

}  // namespace lockbench::calibration
