// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/processes/epoch_context.h"

#include <algorithm>
#include <iterator>

#include "harness/stress/litmus/generate.h"
#include "harness/stress/litmus/key_set_lock.h"
#include "harness/stress/litmus/keys.h"

namespace lockbench::stress::processes {
namespace {

bool has_room_for(std::uint32_t key_set, const Abilities& abilities) {
  const LockLimits& limits = abilities.limits;
  return abilities.any_key && limits.keys == 0 && limits.keys_of_thread == 0 &&
         (!abilities.names || !limits.plain_names || has_plain_names(key_set));
}

}  // namespace

EpochPlan plan_epoch(std::size_t mode, std::uint64_t seed, std::uint32_t processes,
                     const Abilities& abilities) {
  constexpr std::uint32_t kMostKeysContended = 3;
  const LockLimits& limits = abilities.limits;
  constexpr std::int64_t kLongestHoldsUs[] = {0, 20, 200, 2000};
  Random random(seed);
  EpochPlan plan{.mode = mode, .seed = seed, .processes = processes};
  plan.length = std::chrono::milliseconds(60 + random.below(61));
  if (random.below(2) == 0) {
    plan.keys = static_cast<std::uint32_t>(2 + random.below(kMostKeysContended - 1));
    const std::uint32_t key_set = kKeySets[random.below(std::size(kKeySets))];
    if (key_set != 0 && has_room_for(key_set, abilities)) {
      plan.key_set = key_set;
      plan.keys = kMostKeys;
    }
  }
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
  lock = with_key_set(line.make(plan.keys + 1), plan.key_set);
}

}  // namespace lockbench::stress::processes
