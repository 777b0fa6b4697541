// SPDX-License-Identifier: Apache-2.0

// The real engine, from an order to a report: native threads, with the faults of each mode in turn,
// see mode.h.
#pragma once

#include <absl/status/statusor.h>

#include "harness/stress/engine_program.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/report.h"

namespace lockbench::stress::threads {

// Fails with InvalidArgument when the order's program, mode or number of threads makes no sense.
// Must be called while this process has one thread.
absl::StatusOr<Report> test_lock(const RegisteredLock& entry, const Order& order, const Tell& tell);

}  // namespace lockbench::stress::threads
