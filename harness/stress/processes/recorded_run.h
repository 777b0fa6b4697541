// SPDX-License-Identifier: Apache-2.0

// RecordedRun: processes at a lock of their own, once; some are killed, or stopped for a while;
// and what was seen of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/stress/litmus/program.h"
#include "harness/stress/processes/mode.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/trace/trace.h"

namespace lockbench::stress::processes {

// What a run does to its processes, of what nemeses do.
struct RunPlan {
  LitmusProgram program;               // without A: processes do their acts over and over
  std::uint32_t passes = 1;            // so often
  FaultKind fault = FaultKind::kNone;  // kNone, kKill, kStop or kRecycle
  bool yields = false;
  std::uint64_t seed = 1;
};

struct Strikes {
  std::uint64_t killed = 0;
  std::uint64_t killed_inside = 0;  // as far as was seen
  std::uint64_t stopped = 0;
  std::uint64_t stopped_inside = 0;
  std::uint64_t recycled = 0;
};

struct RecordedRun {
  // All that may have happened, the likeliest first; at least one.
  std::vector<Trace> possible;
  std::string ended_badly;  // how a process came to an end that no lock may bring it to; or empty
  Strikes strikes;
};

// At least one process is left alive. Must be called while this process has one thread. Aborts when
// there is no process to be had.
RecordedRun run_recorded(const RegisteredLock& entry, const RunPlan& plan);

}  // namespace lockbench::stress::processes
