// SPDX-License-Identifier: Apache-2.0

// Conformance: what a lock does on native threads, held against its Petri net.
//
// Programs that do what the net's threads may do are run at full speed, their events recorded in
// one order that a correct lock vouches for (log.h); each must be a firing sequence of the net, and
// end as the net can end (conformance/trace_checker.h).
#pragma once

#include <absl/status/statusor.h>

#include "harness/stress/engine_program.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/report.h"

namespace lockbench::stress::threads {

// Requires order.net. Fails with InvalidArgument when the net cannot be read or is none of this
// lock, or when the lock's holds end by the clock within a second: threads cannot be asked
// when that was. A counterexample is the oracle's kNet, or kCrash when a run took its process with
// it; the report's trace is the trace. Must be called while this process has one thread.
absl::StatusOr<Report> check_conformance(const RegisteredLock& entry, const Order& order,
                                         const Tell& tell);

}  // namespace lockbench::stress::threads
