// SPDX-License-Identifier: Apache-2.0

// EpochContext: what the processes of an epoch share.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/stress/processes/mode.h"
#include "harness/stress/processes/shared_state.h"
#include "harness/stress/registered_lock.h"
#include "primitives/platform/scratch_folder.h"
#include "workloads/file_counter.h"
#include "workloads/random.h"

namespace lockbench::stress::processes {

// Generated from a seed. The same seed gives the same plan on every machine.
struct EpochPlan {
  std::size_t mode = 0;  // index into modes()
  std::uint64_t seed = 1;
  std::uint32_t processes = 4;
  std::uint32_t keys = 1;
  std::uint32_t key_set = 0;  // see litmus/keys.h; where it is not 0, all of its keys are used
  std::chrono::milliseconds length{100};
  std::chrono::microseconds longest_hold{50};
  bool yields = false;

  FaultKind fault() const { return modes()[mode].fault; }
};

// The plan has no more processes and keys than the lock has room for.
EpochPlan plan_epoch(std::size_t mode, std::uint64_t seed, std::uint32_t processes,
                     const Abilities& abilities = {});

struct EpochContext {
  EpochContext(SharedState& on, const RegisteredLock& line, const EpochPlan& with);

  SharedState& state;
  const Abilities& abilities;
  const EpochPlan& plan;
  std::vector<std::unique_ptr<platform::ScratchFolder>> folders;
  std::vector<std::unique_ptr<NumberFile>> numbers;  // the number of updates of each key
  std::unique_ptr<LockUnderTest> lock;
};

}  // namespace lockbench::stress::processes
