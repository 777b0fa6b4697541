// SPDX-License-Identifier: Apache-2.0

// Conformance: checks the traces of simulated threads against the lock's Petri net.
//
// Threads run programs that do what the net's threads can do, in many interleavings. The trace of
// each execution must be a firing sequence of the net and must end in a state in which the net can
// end (conformance/trace_checker.h).
#pragma once

#include <absl/status/statusor.h>

#include "harness/stress/engine_program.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/report.h"

namespace lockbench::stress::explore {

// Requires: order.net is not empty. Fails with InvalidArgument if the net cannot be read or does
// not describe this lock, for example because it has other locks or other capacities. The oracle of
// a counterexample is kNet, and the report's trace contains the events up to the failure. Remarks
// name the transitions of the net that are visible to an observer and that no trace took.
absl::StatusOr<Report> check_conformance(const RegisteredLock& entry, const Order& order,
                                         const ReportProgress& report_progress);

}  // namespace lockbench::stress::explore
