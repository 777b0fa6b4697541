// SPDX-License-Identifier: Apache-2.0

// Shrinking a counterexample: first its program, then its schedule.
#pragma once

#include <chrono>

#include "harness/stress/explore/search/counterexample.h"
#include "harness/stress/explore/search/pace.h"
#include "harness/stress/explore/world/world.h"
#include "harness/stress/registered_lock.h"

namespace lockbench::stress::explore {

// The smallest program and schedule that were found to fail by the same oracle, with a complete
// trace. Takes 0.1 s, up to 1 s until `end_of_budget`; then up to 3 s for the schedule and reruns.
Counterexample shrunk(World& world, const RegisteredLock& entry, const Pace& pace,
                      Counterexample found, std::chrono::steady_clock::time_point end_of_budget);

}  // namespace lockbench::stress::explore
