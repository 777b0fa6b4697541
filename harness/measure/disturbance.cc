// SPDX-License-Identifier: Apache-2.0

#include "harness/measure/disturbance.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace lockbench {
namespace {

constexpr double kLeastTicks = 20;

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f %%", share * 100);
  return text;
}

}  // namespace

std::optional<HostUsage> HostUsage::now() {
  std::ifstream stat("/proc/stat");
  std::string label;
  double user = 0;
  double nice = 0;
  double system = 0;
  double idle = 0;
  double iowait = 0;
  double irq = 0;
  double softirq = 0;
  double steal = 0;
  // Guest time is in user and nice already.
  if (!(stat >> label >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal)) {
    return std::nullopt;
  }
  const double tick_s = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  const double busy = user + nice + system + irq + softirq;
  return HostUsage{.busy_s = busy * tick_s,
                   .stolen_s = steal * tick_s,
                   .total_s = (busy + idle + iowait + steal) * tick_s};
}

void add_host_usage(const HostUsage& before, const HostUsage& after, Sample& sample) {
  const double total_s = after.total_s - before.total_s;
  const double ticks = total_s * static_cast<double>(sysconf(_SC_CLK_TCK));
  if (ticks < kLeastTicks) return;
  const double own_s = sample.cpu_user_s.value_or(0) + sample.cpu_system_s.value_or(0);
  const double others_s = after.busy_s - before.busy_s - own_s;
  sample.steal_share = (after.stolen_s - before.stolen_s) / total_s;
  sample.other_cpu_share = std::max(0.0, others_s) / total_s;
}

std::string disturbance_of(const Cell& cell, const Sample& sample,
                           const DisturbanceLimits& limits) {
  if (sample.outcome != Outcome::kOk) return {};
  if (sample.pinning_held == false) {
    return "a thread ran on another processor than it was bound to";
  }
  if (sample.steal_share > limits.most_steal) {
    return "the host took " + percent(*sample.steal_share) + " of the machine's time, more than " +
           percent(limits.most_steal);
  }
  if (cell.mode == Mode::kFixed) return {};
  // Asked for first: an absent figure compares as less than any.
  if (sample.overlap && *sample.overlap < limits.least_overlap) {
    return "the threads worked together for " + percent(*sample.overlap) +
           " of the time, less than " + percent(limits.least_overlap);
  }
  const double asked_s = std::chrono::duration<double>(cell.window).count();
  const double stretch = sample.window_s.value_or(asked_s) / asked_s - 1;
  if (stretch > limits.most_stretch) {
    return "the window took " + percent(stretch) + " longer than asked for, more than " +
           percent(limits.most_stretch);
  }
  return {};
}

}  // namespace lockbench
