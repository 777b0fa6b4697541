// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/measure/subject.h"

#include <thread>

#include "harness/kernel/processors.h"
#include "workloads/spin_pace.h"

namespace lockbench {
namespace {

// In a thread of its own, since a thread that a lock starts later inherits the processors of the
// one that made the lock.
SpinPace pace_for(const Trial& trial) {
  if (!trial.fast_processor) return measure_pace_for(trial.cell.hold, trial.cell.think);
  SpinPace pace;
  std::jthread([&] {
    bind_to_processors(0, {*trial.fast_processor});
    pace = measure_pace_for(trial.cell.hold, trial.cell.think);
  }).join();
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
