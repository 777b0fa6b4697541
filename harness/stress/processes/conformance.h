// SPDX-License-Identifier: Apache-2.0

// Conformance: what a lock does between processes, of which some are killed and some stopped,
// held against its Petri net.
//
// Programs that do what the net's threads may do are run by as many processes, their events
// recorded in one order that a correct lock guarantees (trace/recorder.h). A process that is killed
// while it holds is the net's `thread 1 dies`; a net that has no such event has nobody killed. That
// whoever waits clears a dead owner's lock away nobody sees: such a step is put in where what
// follows needs it.
#pragma once

#include <absl/status/statusor.h>

#include "harness/stress/engine_program.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/report.h"

namespace lockbench::stress::processes {

// Requires order.net. Fails with InvalidArgument when the net cannot be read or is none of this
// lock. A counterexample is the oracle's kNet, or kCrash when a process came to a bad end; the
// report's trace is the trace. Must be called while this process has one thread.
absl::StatusOr<Report> check_conformance(const RegisteredLock& entry, const Order& order,
                                         const Tell& tell);

}  // namespace lockbench::stress::processes
