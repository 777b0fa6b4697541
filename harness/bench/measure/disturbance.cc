// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/measure/disturbance.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace lockbench {
namespace {

constexpr double kLeastTicks = 20;

// The shortest time over which the use by other processes is computed, see add_recent_use().
constexpr double kLeastSpanS = 0.1;

std::string percent(double share, int decimals = 0) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f %%", decimals, share * 100);
  return text;
}

// With as many decimals as it takes to differ from the limit that it exceeds.
std::string percent_beside(double share, double limit) {
  int decimals = 0;
  while (decimals < 6 && percent(share, decimals) == percent(limit, decimals)) ++decimals;
  return percent(share, decimals);
}

// The processor time that other processes used for certain, as a number of processors. It is one
// clock tick less than the kernel counted, because the kernel charges a whole tick to whatever runs
// when the clock ticks.
double used_by_others(const Sample& sample, std::uint32_t processors) {
  const double span_s = std::max(sample.window_s.value_or(0), kLeastSpanS);
  return sample.other_cpu_share.value_or(0) * processors - kTickS / span_s;
}

}  // namespace

void add_processor_use(const ProcessorUse& window, Sample& sample) {
  const auto ticks = static_cast<double>(window.all);
  if (ticks < kLeastTicks) return;
  const double own_s = sample.cpu_user_s.value_or(0) + sample.cpu_system_s.value_or(0);
  const double others = static_cast<double>(window.busy) - own_s / kTickS;
  sample.steal_share = static_cast<double>(window.stolen) / ticks;
  sample.other_cpu_share = std::max(0.0, others) / ticks;
}

void add_recent_use(const ProcessorUse& lately, double own_s, Sample& sample) {
  if (sample.other_cpu_share || static_cast<double>(lately.all) < kLeastTicks) return;
  const double others = static_cast<double>(lately.busy) - own_s / kTickS;
  sample.other_cpu_share = std::max(0.0, others) / static_cast<double>(lately.all);
}

void add_throttling(const std::optional<Throttling>& before, const std::optional<Throttling>& after,
                    Sample& sample) {
  if (!before || !after || after->periods < before->periods) return;
  sample.throttled_periods = after->periods - before->periods;
  sample.throttled_s = std::max(0.0, after->stopped_s - before->stopped_s);
}

std::string throttling_of(const Cell& cell, const Sample& sample, std::uint32_t processors,
                          const DisturbanceLimits& limits) {
  if (sample.outcome != Outcome::kOk) return {};
  const double time_s = sample.window_s.value_or(0) * std::min(cell.threads, processors);
  if (time_s <= 0) return {};
  const double stopped = std::min(1.0, sample.throttled_s.value_or(0) / time_s);
  if (stopped <= limits.most_interference) return {};
  return "the quota of CPU time stopped the threads for " +
         percent_beside(stopped, limits.most_interference) + " of the window (maximum " +
         percent(limits.most_interference) + ")";
}

std::string interference_of(const Cell& cell, const Sample& sample, std::uint32_t processors,
                            const DisturbanceLimits& limits) {
  if (sample.outcome != Outcome::kOk) return {};
  if (sample.steal_share > limits.most_steal) {
    return "the host took " + percent_beside(*sample.steal_share, limits.most_steal) +
           " of the machine's time (maximum " + percent(limits.most_steal) + ")";
  }
  if (std::string throttling = throttling_of(cell, sample, processors, limits);
      !throttling.empty()) {
    return throttling;
  }
  const double most = limits.most_interference;
  const double others = used_by_others(sample, processors);
  if (cell.threads <= processors) {
    if (!(sample.run_delay_share > most) || others <= most) return {};
    return "run delay " + percent_beside(*sample.run_delay_share, most) +
           " of the window (maximum " + percent(most) + ")";
  }
  const double taken = std::min(sample.denied_cpu_share.value_or(0), others / processors);
  if (taken <= most) return {};
  return "other processes took " + percent_beside(taken, most) +
         " of the processors' time from the threads (maximum " + percent(most) + ")";
}

std::string disturbance_of(const Cell& cell, const Sample& sample,
                           const DisturbanceLimits& limits) {
  if (sample.outcome != Outcome::kOk) return {};
  if (sample.pinning_held == false) {
    return "a thread ran on another processor than it was bound to";
  }
  if (cell.mode == Mode::kFixed) return {};
  if (sample.operations == 0u && sample.timeouts.value_or(0) + sample.unserved.value_or(0) == 0) {
    return "no operation fell into the window (minimum 1): use a longer window" +
           std::string(cell.mode == Mode::kOpen ? " or a higher rate" : "");
  }
  // The figure must be present: an absent optional compares as less than any number.
  if (sample.overlap && *sample.overlap < limits.least_overlap) {
    return "thread overlap " + percent_beside(*sample.overlap, limits.least_overlap) +
           " (minimum " + percent(limits.least_overlap) + ")";
  }
  const double asked_s = std::chrono::duration<double>(cell.window).count();
  const double stretch = sample.window_s.value_or(asked_s) / asked_s - 1;
  if (stretch > limits.most_stretch) {
    return "the window took " + percent_beside(stretch, limits.most_stretch) +
           " longer than asked for (maximum " + percent(limits.most_stretch) + ")";
  }
  return {};
}

}  // namespace lockbench
