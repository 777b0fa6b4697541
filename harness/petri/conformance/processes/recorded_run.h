// SPDX-License-Identifier: Apache-2.0

// RecordedRun: runs processes with their own lock once, kills or stops some of them, and records
// their events.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/petri/conformance/program_source.h"
#include "harness/stress/processes/mode.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/trace/event.h"

namespace lockbench::stress::processes {

struct RunFaults {
  std::uint64_t killed = 0;
  std::uint64_t killed_inside = 0;  // as far as was seen
  std::uint64_t stopped = 0;
  std::uint64_t stopped_inside = 0;
  std::uint64_t recycled = 0;
};

struct RecordedRun {
  // All traces that the run may have had, the most likely one first; at least one.
  std::vector<Trace> possible;
  std::string ended_badly;  // how a process ended that should not have ended; empty if none did
  RunFaults faults;
};

// `fault`: kNone, kKill, kStop or kRecycle, a part of those that FaultInjector injects. At least
// one process is not killed. Requires: this process has one thread. Aborts if no process can be
// created.
RecordedRun run_recorded(const RegisteredLock& entry, const RunPlan& plan,
                         FaultKind fault = FaultKind::kNone);

}  // namespace lockbench::stress::processes
