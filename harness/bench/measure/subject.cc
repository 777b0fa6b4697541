// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/measure/subject.h"

#include <sched.h>
#include <thread>

#include "workloads/spin_pace.h"

namespace lockbench {
namespace {

// Plug-ins have this file of their own, and not the library of the kernel's processors. No machine
// with several kinds of cores has more than the CPU_SETSIZE that a set of this type has room for.
void stay_on(int processor) {
  if (processor >= CPU_SETSIZE) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  sched_setaffinity(0, sizeof one, &one);
}

// In a thread of its own, since a thread that a lock starts later inherits the processors of the
// one that made the lock.
SpinPace pace_for(const Trial& trial) {
  if (!trial.fast_processor) return measure_pace_for(trial.cell.hold, trial.cell.think);
  SpinPace pace;
  std::jthread([&] {
    stay_on(*trial.fast_processor);
    pace = measure_pace_for(trial.cell.hold, trial.cell.think);
  }).join();
  return pace;
}

}  // namespace

LoopingSubject::LoopingSubject(const Trial& trial)
    : trial_(trial), pace_(pace_for(trial)), loops_(trial.cell.threads) {}

LoopingSubject::~LoopingSubject() = default;

void LoopingSubject::work(std::uint32_t thread, TrialPhases& phases, ThreadReport& report) {
  if (report.on_slow_core) spin_by_steps();
  loops_[thread] = make_loop(thread, report);
  loops_[thread]->run(phases);
  if (report.own_process) save_tally(thread);
  phases.leave();
}

}  // namespace lockbench
