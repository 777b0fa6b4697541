// SPDX-License-Identifier: Apache-2.0

// Finds out which memory orders of a lock are needed: tries each atomic operation with an order
// that is one level weaker, under c11, with the litmus programs that the lock is tested with.
#pragma once

#include <absl/status/statusor.h>

#include "harness/stress/engine_program.h"
#include "harness/stress/explore/world/world.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/report.h"

namespace lockbench::stress::explore {

// Adds a remark for each operation and weaker order. The verdict is inconclusive if the unchanged
// lock fails. An order that no program here needs may be needed by a program that was not run.
absl::StatusOr<Report> weaken_orders(World& world, const RegisteredLock& entry, const Order& order,
                                     const ReportProgress& report_progress);

}  // namespace lockbench::stress::explore
