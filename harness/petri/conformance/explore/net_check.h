// SPDX-License-Identifier: Apache-2.0

// Conformance: checks the traces of simulated threads against the lock's Petri net.
//
// Threads run programs that do what the net's threads can do, in many interleavings.
#pragma once

#include <absl/status/statusor.h>

#include "harness/stress/engine_program.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/report.h"

namespace lockbench::stress::explore {

// As Conformer::check().
absl::StatusOr<Report> check_conformance(const RegisteredLock& entry, const Order& order,
                                         const ReportProgress& report_progress);

// The same in a child process, which the lock may end (explore/search/own_process.h).
absl::StatusOr<Report> check_conformance_in_own_process(const RegisteredLock& entry,
                                                        const Order& order,
                                                        const ReportProgress& report_progress);

}  // namespace lockbench::stress::explore
