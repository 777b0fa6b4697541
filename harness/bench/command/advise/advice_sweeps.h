// SPDX-License-Identifier: Apache-2.0

// The sweeps of an advice plan: which cells answer a case. Pure.
#pragma once

#include <optional>
#include <vector>

#include "harness/bench/command/advise/advice_case.h"
#include "harness/bench/plan/limits.h"
#include "harness/bench/plan/load.h"
#include "harness/bench/plan/preset.h"

namespace lockbench {

using Loads = std::vector<std::optional<Load>>;  // absent in the list: saturated

// The case itself: each candidate with each number of threads and each load; without loads, with
// the think time of its cell. Windows are the shortest that such cells need.
Sweep case_sweep(const AdviceCase& wanted, const Loads& loads, const CellTraits& traits);

// The map of readers and writers, for a case with readers: mutexes and locks that readers share, by
// the share of reads and by the hold. Its threads think for as long as they hold, so that with some
// of them a mutex is always wanted. One sweep for each hold.
std::vector<Sweep> map_sweeps(const AdviceCase& wanted, const CellTraits& traits);

// For a case with a limit of waits: each candidate in an open loop, at the rate of the case if it
// has one, and at parts above it of the highest that any lock keeps. One sweep for each rate, from
// the lowest on, since few operations per second need long windows.
std::vector<Sweep> rate_sweeps(const AdviceCase& wanted, const RateLimits& limits);

// How many cells a sweep has.
std::int64_t cells_of(const Sweep& sweep);

}  // namespace lockbench
