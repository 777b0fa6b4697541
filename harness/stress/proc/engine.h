// SPDX-License-Identifier: Apache-2.0

// The engine of processes: runs them at a lock in short epochs, kills, stops and replaces them, and
// looks after each epoch at what they left.
#pragma once

#include "harness/stress/engine_program.h"
#include "harness/stress/report.h"
#include "harness/stress/suspect.h"

namespace lockbench::stress::proc {

// Looks into one suspect for the time that the order gives, or until it is convicted. Fails with
// InvalidArgument when the order asks for what there is not. Must be called while this process has
// one thread.
absl::StatusOr<Report> investigate(const Lineup& lineup, const Order& order, const Tell& tell);

}  // namespace lockbench::stress::proc
