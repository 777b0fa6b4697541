// SPDX-License-Identifier: Apache-2.0

// Conformance: what a suspect does on simulated threads, held against its Petri net.
//
// Clients that do what the net's threads may do are run in many interleavings; what is seen of each
// execution must be a firing sequence of the net, and end as the net can end (conformance/judge.h).
#pragma once

#include <absl/status/statusor.h>

#include "harness/stress/engine_program.h"
#include "harness/stress/report.h"
#include "harness/stress/suspect.h"

namespace lockbench::stress::sim {

// Requires order.net. Fails with InvalidArgument when the net cannot be read or is none of this
// suspect: other locks, other numbers. A conviction is the oracle's kNet; the report's story is the
// trace. Remarks name the net's transitions that can be seen and were not.
absl::StatusOr<Report> hold_against_net(const Lineup& lineup, const Order& order, const Tell& tell);

}  // namespace lockbench::stress::sim
