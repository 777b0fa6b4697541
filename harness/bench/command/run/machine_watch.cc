// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/run/machine_watch.h"

#include <algorithm>
#include <optional>
#include <sys/resource.h>
#include <utility>

#include <absl/strings/str_format.h>

#include "harness/bench/command/doctor/diagnosis.h"
#include "harness/bench/measure/disturbance.h"
#include "harness/bench/measure/processor_use.h"
#include "harness/bench/record/build.h"
#include "harness/bench/record/machine.h"
#include "harness/process/signals.h"

namespace lockbench {
namespace {

// Two processors have forty clock ticks in this time; the limit of 5 % is two of them.
constexpr std::chrono::milliseconds kLook{200};

double seconds(Nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

// Processor time of this process and of its children that have ended.
double own_cpu_s() {
  double sum_s = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    for (const timeval& part : {usage.ru_utime, usage.ru_stime}) {
      sum_s += static_cast<double>(part.tv_sec) + static_cast<double>(part.tv_usec) * 1e-6;
    }
  }
  return sum_s;
}

// Describes what others do while this thread sleeps; empty within the limits.
std::string others_now(const DisturbanceLimits& limits = {}) {
  const std::optional<ProcessorUse> use = watch_processors(allowed_processor_numbers(), kLook);
  if (!use || use->all == 0) return {};
  const auto all = static_cast<double>(use->all);
  const double busy = static_cast<double>(use->busy) / all;
  const double stolen = static_cast<double>(use->stolen) / all;
  if (stolen > limits.most_steal) {
    return absl::StrFormat("the host takes %.0f %% of the machine's time (maximum %.0f %%)",
                           stolen * 100, limits.most_steal * 100);
  }
  if (busy <= limits.most_interference) return {};
  return absl::StrFormat("others use %.0f %% of the processors (maximum %.0f %%)", busy * 100,
                         limits.most_interference * 100);
}

std::vector<MachineFinding> recorded(const std::vector<Finding>& findings) {
  std::vector<MachineFinding> notes;
  for (const Finding& finding : findings) {
    if (finding.severity == Severity::kFine) continue;
    notes.push_back({.severity = name_of(kSeverities, finding.severity),
                     .name = finding.name,
                     .what = finding.what});
  }
  return notes;
}

}  // namespace

MachineWatch::MachineWatch(Nanoseconds patience, Surroundings earlier,
                           std::function<void(const std::string&)> say)
    : patience_(patience),
      patience_left_(patience),
      surroundings_(std::move(earlier)),
      say_(std::move(say)) {
  surroundings_.most_interference = DisturbanceLimits().most_interference;
  surroundings_.patience_s = seconds(patience);
}

void MachineWatch::note_start() {
  const SystemFacts facts = read_system_facts_quickly(read_machine(), this_build());
  surroundings_.at_start = recorded(diagnose(facts));
  // One line at most: doctor prints the remedies.
  if (const std::string line = problems_line(facts); !line.empty()) say_(line);
  Sample none;
  note_trial(none);  // the first reading
}

void MachineWatch::note_end() {
  surroundings_.at_end =
      recorded(diagnose(read_system_facts_quickly(read_machine(), this_build())));
}

void MachineWatch::wait_for_quiet() {
  if (accepts_interference()) return;
  const auto begun = std::chrono::steady_clock::now();
  std::string busy = others_now();
  if (busy.empty()) return;
  say_(absl::StrFormat("waits up to %.0f s until the machine is quiet: %s", seconds(patience_left_),
                       busy));
  Nanoseconds waited{0};
  while (!busy.empty() && waited < patience_left_ && noted_signal() == 0) {
    busy = others_now();
    waited = std::chrono::steady_clock::now() - begun;
  }
  patience_left_ -= waited;
  surroundings_.waited_s += seconds(waited);
  if (busy.empty() || noted_signal() != 0) return;
  patience_left_ = Nanoseconds::zero();
  note_busy(busy);
}

void MachineWatch::note_trial(Sample& sample) {
  const std::optional<ProcessorUse> now = ProcessorUse::now(processors_);
  if (!now) return;
  const Reading last{.all = *now, .own_s = own_cpu_s()};
  const auto ticks = static_cast<std::uint64_t>(seconds(kLook) / kTickS) * processors_.size();
  while (readings_.size() > 1 && readings_[1].all.all + ticks <= now->all) readings_.pop_front();
  if (!readings_.empty()) {
    const Reading& first = readings_.front();
    add_recent_use(use_between(first.all, last.all), last.own_s - first.own_s, sample);
  }
  readings_.push_back(last);
}

void MachineWatch::note_busy(const std::string& reason) {
  if (surroundings_.busy) return;
  surroundings_.busy = reason;
  say_("measures a busy machine, and its results say so: " + reason);
}

}  // namespace lockbench
