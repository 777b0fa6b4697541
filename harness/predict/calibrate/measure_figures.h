// SPDX-License-Identifier: Apache-2.0

// Measures the costs of a machine model on a machine, by loops.
//
// The loops reach memory, the kernel and time through primitives/platform/ only. So they run on
// this machine, and, compiled for the simulated platform, on a model whose figures are known.
//
// Guarantees   On a model, the result is the model's figures, within 2 %.
// Requires     has_heavy_barrier() for the figures of membarrier; without it, they are absent.
// Source       line transfers by compare-exchange: N. Viennot, "Measuring CPU core-to-core
//              latency", 2022.
//
// MeasuredFigures: what the loops have measured, in nanoseconds, before anything is subtracted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/predict/calibrate/loop_parts.h"

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

// The processors that are measured, by the kernel's numbers. Each core has at least one.
using Cores = std::vector<std::vector<int>>;

// How much is measured.
struct Effort {
  std::uint32_t repetitions = 9;  // of each loop; their median counts
  std::uint32_t calls = 20'000;   // of what takes nanoseconds
  std::uint32_t handovers = 1'000;
  std::uint32_t foreign_passes = 50;
  std::uint32_t sleeps = 50;
  std::uint32_t barriers = 300;
  std::uint32_t slices = 16;
  // A power of two, more than the caches hold, and at least `repetitions` times `calls`.
  std::size_t memory_lines = std::size_t{1} << 20;
};

// How many loops there are, how many have been run, and what the next one measures.
using Report = std::function<void(std::size_t done, std::size_t all, std::string_view next)>;

MeasuredFigures measure_figures(Runner& runner, const Cores& cores, const Effort& effort,
                                const Report& report);

}  // namespace lockbench::calibration
