// SPDX-License-Identifier: Apache-2.0

#include "harness/measure/figures.h"

#include <algorithm>
#include <limits>

namespace lockbench {
namespace {

// Length of one piece of work, or its mean; absent if it is not known in advance.
std::optional<double> length_of(const Work& work) {
  if (work.kind == Work::Kind::kTouch) return std::nullopt;
  return seconds(work.duration);
}

double spun_of(const Work& work) {
  return work.computes() ? seconds(work.duration) : 0.0;
}

}  // namespace

std::optional<double> jain_index(std::span<const std::uint64_t> shares) {
  double sum = 0;
  double squares = 0;
  for (const std::uint64_t share : shares) {
    const auto x = static_cast<double>(share);
    sum += x;
    squares += x * x;
  }
  if (squares == 0) return std::nullopt;
  return sum * sum / (static_cast<double>(shares.size()) * squares);
}

std::optional<double> overlap_of(std::span<const Interval> threads) {
  double first_start = std::numeric_limits<double>::max();
  double last_start = std::numeric_limits<double>::lowest();
  double first_end = std::numeric_limits<double>::max();
  double last_end = std::numeric_limits<double>::lowest();
  for (const Interval& thread : threads) {
    first_start = std::min(first_start, thread.start_s);
    last_start = std::max(last_start, thread.start_s);
    first_end = std::min(first_end, thread.end_s);
    last_end = std::max(last_end, thread.end_s);
  }
  if (last_end <= first_start) return std::nullopt;
  return std::max(0.0, first_end - last_start) / (last_end - first_start);
}

std::optional<double> ideal_seconds(const HoldBound& bound, const Cell& cell,
                                    std::uint32_t capacity, std::uint32_t processors) {
  const std::optional<double> hold_s = length_of(cell.hold);
  const std::optional<double> think_s = length_of(cell.think);
  if (!hold_s || !think_s || *hold_s == 0) return std::nullopt;
  const auto holds = [](std::uint64_t n) { return static_cast<double>(n); };
  const double operations = static_cast<double>(cell.operations);
  const double key_s = holds(bound.busiest_key_holds) * *hold_s / capacity;
  const double thread_s = holds(bound.busiest_thread_holds) * *hold_s + operations * *think_s;
  const double spun_s =
      (holds(bound.holds) * spun_of(cell.hold) + operations * cell.threads * spun_of(cell.think)) /
      processors;
  return std::max({key_s, thread_s, spun_s});
}

}  // namespace lockbench
