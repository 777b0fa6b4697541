// SPDX-License-Identifier: Apache-2.0

// The engine `proc`: runs processes that use a lock in short epochs; kills, stops and replaces
// them; and checks the quiescent state after each epoch.
#pragma once

#include "harness/stress/engine_program.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/report.h"

namespace lockbench::stress::processes {

// Checks one lock until the order's time is over or an oracle fails.
// Requires: this process has one thread. Fails with InvalidArgument if the order contains something
// that does not exist or that this engine cannot do.
absl::StatusOr<Report> test_lock(const RegisteredLock& entry, const Order& order,
                                 const ReportProgress& report_progress);

}  // namespace lockbench::stress::processes
