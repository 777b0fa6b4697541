// SPDX-License-Identifier: Apache-2.0

// Conformance: runs a lock with an engine of `lockbench stress` and checks that its net can do what
// the lock does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/petri/net/net.h"
#include "harness/stress/command/plan.h"
#include "harness/stress/report.h"
#include "workloads/settings.h"

namespace lockbench {

struct ConformOrder {
  std::string engine;  // sim, real or proc; empty: the first one that has the lock
  std::string lock;    // as `lockbench stress --list` names it
  Nanoseconds budget = std::chrono::seconds(5);
  std::uint64_t seed = 1;
};

// The engine's report: failed, with the trace, if the lock did something that the net cannot do;
// inconclusive if no execution had a verdict. NotFound if the engine does not have the lock,
// InvalidArgument if the net does not describe that lock, Internal if the engine failed, Cancelled
// after an interrupt.
absl::StatusOr<stress::Report> conform(const Net& net, const ConformOrder& order);

// The error for a lock that the requested engines do not have: it names the engines that have it,
// or the locks that these engines have, or says that no engine is installed. Pure.
absl::Status unknown_lock(const ConformOrder& order, const std::vector<EngineListing>& shipped,
                          const std::vector<EngineListing>& broken);

std::string conform_text(const stress::Report& report);

}  // namespace lockbench
