// SPDX-License-Identifier: Apache-2.0

// One epoch: clients, faults, and what is checked when the faults are over.
#pragma once

#include <vector>

#include <absl/status/status.h>

#include "harness/services/engine/fault_injector.h"
#include "harness/services/engine/plan.h"
#include "harness/services/engine/servers.h"
#include "harness/services/engine/shared_state.h"
#include "harness/stress/registered_lock.h"

namespace lockbench::stress::services {

struct EpochResult {
  FaultCounts faults{};
  std::vector<FaultNote> notes;       // of the last epoch
  std::vector<Act> evidence;          // of the last epoch: holds that its history cannot have
  std::uint64_t longest_wait_ms = 0;  // for a key, after the last fault of an epoch
};

// If an oracle fails, `state` has the failure. Not ok: the engine itself has failed, for example
// because a server could not be started again.
absl::Status run_epoch(SharedState& state, const RegisteredLock& entry, const EpochPlan& plan,
                       bool checks_tokens, Servers& servers, EpochResult& result);

}  // namespace lockbench::stress::services
