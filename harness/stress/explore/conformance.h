// SPDX-License-Identifier: Apache-2.0

// Conformance: what a lock does on simulated threads, held against its Petri net.
//
// Programs that do what the net's threads may do are run in many interleavings; what is seen of
// each execution must be a firing sequence of the net, and end as the net can end
// (conformance/trace_checker.h).
#pragma once

#include <absl/status/statusor.h>

#include "harness/stress/engine_program.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/report.h"

namespace lockbench::stress::explore {

// Requires order.net. Fails with InvalidArgument when the net cannot be read or is none of this
// lock: other locks, other numbers. A counterexample is the oracle's kNet; the report's trace is
// the trace. Remarks name the net's transitions that can be seen and were not.
absl::StatusOr<Report> check_conformance(const RegisteredLock& entry, const Order& order,
                                         const Tell& tell);

}  // namespace lockbench::stress::explore
