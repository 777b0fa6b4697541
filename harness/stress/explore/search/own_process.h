// SPDX-License-Identifier: Apache-2.0

// test_in_own_process(): runs the engine in a child process. If the process ends by itself, another
// one executes the same program and schedule again: the lock has failed only if that one ends, too.
#pragma once

#include <functional>

#include <absl/status/statusor.h>

#include "harness/stress/explore/world/execution_ahead.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/report.h"

namespace lockbench::stress::explore {

// Hands over the report of a process that does not return from the test, but ends.
using ReportLast = std::function<void(const Report&)>;
using TestWithAhead =
    std::function<absl::StatusOr<Report>(const Order&, ExecutionAhead&, const ReportLast&)>;

absl::StatusOr<Report> test_in_own_process(const RegisteredLock& entry, const Order& order,
                                           const TestWithAhead& test);

}  // namespace lockbench::stress::explore
