// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/measure/subject.h"

#include "workloads/spin_pace.h"

namespace lockbench {
namespace {

SpinPace pace_for(const Trial& trial) {
  SpinPace pace = measure_pace_for(trial.cell.hold, trial.cell.think);
  if (trial.counts_work) pace.clocked_from = kNeverClocked;
  return pace;
}

}  // namespace

LoopingSubject::LoopingSubject(const Trial& trial)
    : trial_(trial), pace_(pace_for(trial)), loops_(trial.cell.threads) {}

LoopingSubject::~LoopingSubject() = default;

void LoopingSubject::work(std::uint32_t thread, TrialPhases& phases, ThreadReport& report) {
  loops_[thread] = make_loop(thread, report);
  loops_[thread]->run(phases);
  if (report.own_process) save_tally(thread);
  phases.leave();
}

}  // namespace lockbench
