// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/plan/window.h"

#include <algorithm>
#include <cmath>

#include "harness/base/quantity.h"
#include "harness/bench/plan/in_ns.h"
#include "harness/bench/plan/load.h"

namespace lockbench {
namespace {

// The tail takes at most 1/20 of a window: the thread overlap is then the 95 % that a row needs.
constexpr double kWindowsOfTail = 19;
// exp(-4.6) is 1 %.
constexpr double kRareBeyondMean = 4.6;
constexpr double kLongestDraw = 8;  // in means; see workloads/exponential.h
// Operations of each thread; what one more or less changes is then within what blocks differ by.
constexpr double kOperationsInWindow = 16;
constexpr double kOperationsInWarmup = 3;

Nanoseconds rounded_up_to_ms(double ns) {
  constexpr double kMs = 1e6;
  return Nanoseconds{
      static_cast<std::int64_t>(std::min(std::ceil(ns / kMs) * kMs, in_ns(kLongestDuration)))};
}

bool is_drawn(const Work& work) {
  return work.kind == Work::Kind::kRandomSpin || work.kind == Work::Kind::kRandomSleep;
}

// How many threads there are for each processor that computes; 1 if they do not share any.
double threads_of_a_processor(const Cell& cell, const CellTraits& traits) {
  if (cell.think.sleeps() || cell.hold.sleeps()) return 1;
  return std::max(1.0, static_cast<double>(cell.threads) / traits.processors);
}

double tail_of_thinks_ns(const Cell& cell, const CellTraits& traits) {
  if (cell.think.sleeps()) return 0;
  const double mean_ns = in_ns(cell.think.duration);
  const double drawn = std::min(kLongestDraw, std::log(cell.threads) + kRareBeyondMean);
  // The longest times of a mix are rare, too.
  const double longest_ns = is_drawn(cell.think)
                                ? drawn * mean_ns
                                : std::min(in_ns(longest_of(cell.think)), kLongestDraw * mean_ns);
  const double shared = threads_of_a_processor(cell, traits);
  return longest_ns + (shared > 1 ? shared * mean_ns : 0);
}

double tail_of_holds_ns(const Cell& cell, const CellTraits& traits) {
  const double share = traits.one_lock ? 1 : busiest_key_share(cell);
  const double in_turn = traits.excludes ? cell.threads * share / traits.holders_of_a_key : 1;
  return std::max(1.0, in_turn) * in_ns(cell.hold.duration) * traits.acquisitions_per_operation;
}

}  // namespace

Nanoseconds longest_of(const Work& work) {
  if (!work.mix.empty()) return *std::max_element(work.mix.begin(), work.mix.end());
  if (!is_drawn(work)) return work.duration;
  return rounded_up_to_ms(kLongestDraw * in_ns(work.duration));
}

WindowNeeds window_needs(const Cell& cell, const CellTraits& traits) {
  if (cell.mode != Mode::kTimed || traits.at_service) return {};
  const double alone_ns =
      in_ns(cell.hold.duration) * traits.acquisitions_per_operation + in_ns(cell.think.duration);
  const double operation_ns = traits.slowest_work * alone_ns * threads_of_a_processor(cell, traits);
  // One thread alone works for the whole of its window, however long its last operation takes.
  const double tail_ns =
      cell.threads == 1 ? 0
                        : traits.slowest_work *
                              (tail_of_thinks_ns(cell, traits) + tail_of_holds_ns(cell, traits));
  Nanoseconds window =
      rounded_up_to_ms(std::max(kOperationsInWindow * operation_ns, kWindowsOfTail * tail_ns));
  Nanoseconds warmup = rounded_up_to_ms(kOperationsInWarmup * operation_ns);
  if (cell.time_limit > Nanoseconds{0}) {
    window = std::min(window, cell.time_limit / 3);
    warmup = std::min(warmup, cell.time_limit / 3);
  }
  return {.warmup = warmup, .window = window};
}

}  // namespace lockbench
