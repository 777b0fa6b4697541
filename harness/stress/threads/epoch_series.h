// SPDX-License-Identifier: Apache-2.0

// Epoch series: runs epochs, one after the other, until one fails or the time is over.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "harness/stress/registered_lock.h"
#include "harness/stress/threads/epoch_plan.h"
#include "harness/stress/threads/shared_state.h"
#include "harness/stress/threads/supervisor.h"

namespace lockbench::stress::threads {

struct Series {
  Wish wish;
  std::vector<std::size_t> modes;  // indexes into modes(), used in turn
  std::uint64_t seed = 1;          // of the first epoch; the other seeds are derived from it
  std::chrono::steady_clock::time_point until;  // epochs that begin end here, but for their checks
  std::chrono::steady_clock::time_point ends_by;  // after that, an epoch is ended without a result
  std::uint64_t most_epochs = std::numeric_limits<std::uint64_t>::max();
};

// Runs the series in a child process. If it failed, the shared state contains the failure. Calls
// `look` about ten times a second.
Supervised test_lock(SharedState& state, const RegisteredLock& entry, const Series& series,
                     const std::function<void()>& look);

}  // namespace lockbench::stress::threads
