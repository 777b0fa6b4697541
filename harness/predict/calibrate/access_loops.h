// SPDX-License-Identifier: Apache-2.0

// Loops over loads, stores and transfers of cache lines. Times are in nanoseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/predict/calibrate/loop_parts.h"

namespace lockbench::calibration {

inline constexpr std::uint32_t kUnrolled = 16;

// Mean time of an action in a sequence. It is done once before, so that its lines are there.
template <class Action>
double ns_per_call(std::uint32_t calls, const Action& action) {
  action();
  const std::uint32_t rounds = (calls + kUnrolled - 1) / kUnrolled;
  const Time from = platform::now();
  for (std::uint32_t i = 0; i < rounds; ++i) {
#pragma GCC unroll 16
    for (std::uint32_t j = 0; j < kUnrolled; ++j) action();
  }
  return ns_between(from, platform::now()) / (rounds * kUnrolled);
}

// The same on a processor.
template <class Action>
double alone(Runner& runner, int processor, std::uint32_t calls, const Action& action) {
  double ns = 0;
  runner.run({{processor, [&] { ns = ns_per_call(calls, action); }}});
  return ns;
}

// A load while the sibling of the core loads, too.
double loads_beside_sibling(Runner& runner, const std::vector<int>& core, std::uint32_t calls);

// A load of a line that no cache has: the median of `repetitions` parts of one chase through
// `lines` lines, a power of two and at least `repetitions` times `calls`.
double memory_load(Runner& runner, int processor, std::size_t lines, std::uint32_t repetitions,
                   std::uint32_t calls);

// From one of two processors to the other, by compare-exchange.
double handover(Runner& runner, int a, int b, std::uint32_t rounds);

// For lines that another processor has written, and that nobody has used since: how much longer a
// read of each takes than of an own line, and then a write of each.
struct ForeignTimes {
  double read = 0;
  double write = 0;
};

// `a` reads and then writes lines that `b` has written, in each round anew.
ForeignTimes foreign_times(Runner& runner, int a, int b, std::uint32_t rounds);

// A step of one that updates random ones of many pairs of lines. `others`: processors that do the
// same to the same lines at the same time. A step exchanges the word of one line, reads and writes
// the other line's, and stores to the first, as an operation does under a lock.
double step_on_pairs(Runner& runner, int processor, const std::vector<int>& others,
                     std::uint32_t steps);

}  // namespace lockbench::calibration
