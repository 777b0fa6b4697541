// SPDX-License-Identifier: Apache-2.0

// RecordedRun: native threads at a lock of their own, once, in a process that may crash or hang;
// and what was seen of them.
#pragma once

#include <cstdint>
#include <string>

#include "harness/stress/litmus/program.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/trace/trace.h"

namespace lockbench::stress::threads {

struct RunPlan {
  LitmusProgram program;     // without A: threads do their acts over and over
  std::uint32_t passes = 1;  // so often
  bool yields = false;
  std::uint64_t seed = 1;
};

struct RecordedRun {
  Trace trace;
  std::string ended_badly;  // how the process came to an end that no lock may bring it to; or empty
};

// Must be called while this process has one thread. Aborts when there is no process to be had.
RecordedRun run_recorded(const RegisteredLock& entry, const RunPlan& plan);

}  // namespace lockbench::stress::threads
