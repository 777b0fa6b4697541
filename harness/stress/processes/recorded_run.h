// SPDX-License-Identifier: Apache-2.0

// RecordedRun: runs processes with their own lock once, kills or stops some of them, and records
// their events.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/stress/litmus/program.h"
#include "harness/stress/processes/mode.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/trace/trace.h"

namespace lockbench::stress::processes {

// What a run does, including its faults (a part of those that FaultInjector injects).
struct RunPlan {
  LitmusProgram program;               // without A: each process repeats its acts
  std::uint32_t passes = 1;            // number of repetitions
  FaultKind fault = FaultKind::kNone;  // kNone, kKill, kStop or kRecycle
  bool yields = false;
  std::uint64_t seed = 1;
};

struct RunFaults {
  std::uint64_t killed = 0;
  std::uint64_t killed_inside = 0;  // as far as was observed
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

// At least one process is not killed. Requires: this process has one thread. Aborts if no process
// can be created.
RecordedRun run_recorded(const RegisteredLock& entry, const RunPlan& plan);

}  // namespace lockbench::stress::processes
