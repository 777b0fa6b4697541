// SPDX-License-Identifier: Apache-2.0

// RecordedRun: runs native threads with their own lock once, in a child process that may crash or
// hang, and records their events.
#pragma once

#include <string>

#include "harness/petri/conformance/program_source.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/trace/event.h"

namespace lockbench::stress::threads {

struct RecordedRun {
  Trace trace;
  std::string ended_badly;  // how the process ended if it should not have; otherwise empty
};

// Requires: this process has one thread. Aborts if no process can be created.
RecordedRun run_recorded(const RegisteredLock& entry, const RunPlan& plan);

}  // namespace lockbench::stress::threads
