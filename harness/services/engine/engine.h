// SPDX-License-Identifier: Apache-2.0

// The engine `services`: clients of a lock at a service count in a resource, in epochs of a second
// or two, while clients, servers and the network between them fail.
#pragma once

#include "harness/stress/engine_program.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/report.h"

namespace lockbench::stress::services {

// Checks one lock until the order's time is over or an oracle fails.
// Requires: this process has one thread. Fails with InvalidArgument if the order contains something
// that does not exist or that this engine cannot do, or if no server can be started.
absl::StatusOr<Report> test_lock(const RegisteredLock& entry, const Order& order,
                                 const ReportProgress& report_progress);

}  // namespace lockbench::stress::services
