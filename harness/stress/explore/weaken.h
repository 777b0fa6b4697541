// SPDX-License-Identifier: Apache-2.0

// Which memory orders of a lock are needed: each atomic operation is tried one level weaker, under
// c11, with the litmus programs that the lock is tested with.
#pragma once

#include <absl/status/statusor.h>

#include "harness/stress/engine_program.h"
#include "harness/stress/explore/world.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/report.h"

namespace lockbench::stress::explore {

// A remark for each operation and weaker order. Clean, or failed where the lock fails as it is.
// An order that no program needs may be needed by one that was not run.
absl::StatusOr<Report> weaken_orders(World& world, const RegisteredLock& entry, const Order& order,
                                     const Tell& tell);

}  // namespace lockbench::stress::explore
