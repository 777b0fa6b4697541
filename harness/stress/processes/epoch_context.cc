// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/processes/epoch_context.h"

#include <algorithm>

#include "harness/stress/litmus/generate.h"

namespace lockbench::stress::processes {

EpochPlan plan_epoch(std::size_t mode, std::uint64_t seed, std::uint32_t processes,
                     const LockLimits& limits) {
  constexpr std::int64_t kLongestHoldsUs[] = {0, 20, 200, 2000};
  Random random(seed);
  EpochPlan plan{.mode = mode, .seed = seed, .processes = processes};
  plan.length = std::chrono::milliseconds(60 + random.below(61));
  plan.keys = random.below(2) == 0 ? 1 : static_cast<std::uint32_t>(1 + random.below(kMostKeys));
  plan.keys = std::min(plan.keys, most_named_keys(limits));
  // A process that forks while it holds has one child at a time, which requests the key, too.
  const std::uint32_t for_each = plan.fault() == FaultKind::kForks ? 2 : 1;
  plan.processes = std::min(processes, within(processes * for_each, limits.threads) / for_each);
  plan.longest_hold = std::chrono::microseconds(kLongestHoldsUs[random.below(4)]);
  plan.yields = random.below(2) == 0;
  return plan;
}

EpochContext::EpochContext(SharedState& on, const RegisteredLock& line, const EpochPlan& with)
    : state(on), abilities(line.abilities), plan(with) {
  for (std::uint32_t key = 0; key < plan.keys; ++key) {
    folders.push_back(std::make_unique<platform::ScratchFolder>());
    numbers.push_back(std::make_unique<NumberFile>(folders.back()->path()));
  }
  lock = line.make(plan.keys + 1);
}

}  // namespace lockbench::stress::processes
