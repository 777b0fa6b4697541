// SPDX-License-Identifier: Apache-2.0

// The real engine, from an order to a report: native threads, disturbed in turn in every way of
// mode.h.
#pragma once

#include <absl/status/statusor.h>

#include "harness/stress/engine_program.h"
#include "harness/stress/report.h"
#include "harness/stress/suspect.h"

namespace lockbench::stress::real {

// Fails with InvalidArgument when the order's client, mode or number of threads makes no sense.
// Must be called while this process has one thread.
absl::StatusOr<Report> investigate(const Lineup& lineup, const Order& order, const Tell& tell);

}  // namespace lockbench::stress::real
