// SPDX-License-Identifier: Apache-2.0

// The simulated engine, from an order to a report.
#pragma once

#include <absl/status/statusor.h>

#include "harness/stress/engine_program.h"
#include "harness/stress/report.h"
#include "harness/stress/suspect.h"

namespace lockbench::stress::sim {

// Fails with InvalidArgument when the order's client, schedule or memory model cannot be read.
absl::StatusOr<Report> investigate(const Lineup& lineup, const Order& order, const Tell& tell);

}  // namespace lockbench::stress::sim
