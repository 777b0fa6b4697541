// SPDX-License-Identifier: Apache-2.0

// A lock, run by an engine of `lockbench stress`, held against a net.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/command/stress/stress_plan.h"
#include "harness/petri/net.h"
#include "harness/stress/report.h"
#include "workloads/settings.h"

namespace lockbench {

struct ConformOrder {
  std::string engine;  // sim, real or proc; empty: the first of them that knows the lock
  std::string lock;    // as `lockbench stress --list` names it
  Nanoseconds budget = std::chrono::seconds(5);
  std::uint64_t seed = 1;
};

// The engine's report: failed if the lock did what the net cannot do, and its story is the
// trace; inconclusive if nothing was checked. Fails with NotFound when the engine does not know the
// lock, InvalidArgument when the net is none of that lock, Internal when the engine failed,
// Cancelled when interrupted.
absl::StatusOr<stress::Report> conform(const Net& net, const ConformOrder& order);

// What to say of a lock that the engines that were asked do not know: who knows it, or what else
// they know, or that there are no such engines. Pure.
absl::Status unknown_lock(const ConformOrder& order, const std::vector<EngineListing>& shipped,
                          const std::vector<EngineListing>& broken);

std::string conform_text(const stress::Report& report);

}  // namespace lockbench
