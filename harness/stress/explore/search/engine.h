// SPDX-License-Identifier: Apache-2.0

// The engine `sim`, from an order to a report: explores the schedules of simulated threads.
#pragma once

#include <absl/status/statusor.h>

#include "harness/stress/engine_program.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/report.h"

namespace lockbench::stress::explore {

// Fails with InvalidArgument if the order's program, schedule or memory model cannot be read.
absl::StatusOr<Report> test_lock(const RegisteredLock& entry, const Order& order,
                                 const ReportProgress& report_progress);

}  // namespace lockbench::stress::explore
