// SPDX-License-Identifier: Apache-2.0

// Conformance: checks the traces of native threads against the lock's Petri net.
//
// Threads run programs that do what the net's threads can do, at full speed. Their events are
// recorded in an order that is consistent with the order that a correct lock guarantees
// (trace/recorder.h).
#pragma once

#include <absl/status/statusor.h>

#include "harness/stress/engine_program.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/report.h"

namespace lockbench::stress::threads {

// As Conformer::check(). Requires: this process has one thread. Fails with InvalidArgument also if
// the hold limit of the lock is less than a second, because threads cannot see when a hold
// expires.
absl::StatusOr<Report> check_conformance(const RegisteredLock& entry, const Order& order,
                                         const ReportProgress& report_progress);

}  // namespace lockbench::stress::threads
