// SPDX-License-Identifier: Apache-2.0

// The engine `real`, from an order to a report: runs native threads and injects the faults of each
// mode in turn (mode.h).
#pragma once

#include <absl/status/statusor.h>

#include "harness/stress/engine_program.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/report.h"

namespace lockbench::stress::threads {

// Fails with InvalidArgument if the order's program, mode or number of threads is not valid.
// Requires: this process has one thread.
absl::StatusOr<Report> test_lock(const RegisteredLock& entry, const Order& order,
                                 const ReportProgress& report_progress);

}  // namespace lockbench::stress::threads
