// SPDX-License-Identifier: Apache-2.0

// What happens to the lock before the threads of the program begin: many holds of one key, many
// refusals of a held key, many other keys.

#include <cstdint>
#include <memory>
#include <vector>

#include "harness/stress/explore/checked_run.h"
#include "primitives/platform/thread.h"

namespace lockbench::stress::explore {
namespace {

using UntrackedScope = World::UntrackedScope;

// Least number of holds in a warm-up that can distinguish memory that grows with each hold from
// memory that is freed in batches: hazard pointers and epochs free a thousand objects at once.
constexpr std::uint32_t kLeastHoldsForGrowth = 4000;

}  // namespace

void CheckedRun::warm_up() {
  if (program_.warm_up == 0) return;
  // Uses one handle for all holds, because freed memory is not reused in a simulation.
  const std::unique_ptr<LockHandle> handle = lock_->handle(0);
  const std::uint32_t half = program_.warm_up / 2;
  std::uint64_t live_at_half = 0;
  for (std::uint32_t i = 0; i < program_.warm_up; ++i) {
    if (i == half) live_at_half = world_.live_allocations();
    handle->lock();
    handle->unlock();
  }
  const UntrackedScope untracked(world_);
  if (half < kLeastHoldsForGrowth) return;
  const std::uint64_t live = world_.live_allocations();
  check(Allocations{.holds = program_.warm_up - half,
                    .left = live > live_at_half ? live - live_at_half : 0});
}

void CheckedRun::warm_up_by_refusals() {
  if (program_.refusals == 0 || capacity_ != 1 || entry_.abilities.hold_limit.count() != 0) return;
  const World::CertainScope certain(world_);
  const std::unique_ptr<LockHandle> held = lock_->handle(0);
  held->lock();
  platform::Thread([this] {
    const std::unique_ptr<LockHandle> refused = lock_->handle(0);
    bool had = false;
    for (std::uint32_t i = 0; i < program_.refusals && !had; ++i) had = refused->try_lock();
    if (!had) return;
    const UntrackedScope untracked(world_);
    check(TryOfHeldKey{.key = 0, .acquired = true, .before_program = true});
  }).join();
  held->unlock();
}

// A table that forgets a key that is held lets a try succeed. Where a thread may hold several keys,
// it holds all of them at once, so a lock that has objects for few keys has used all of them.
void CheckedRun::warm_up_by_other_keys() {
  if (program_.other_keys == 0 || capacity_ != 1 || entry_.abilities.hold_limit.count() != 0)
    return;
  const World::CertainScope certain(world_);
  const std::unique_ptr<LockHandle> held = lock_->handle(0);
  held->lock();
  platform::Thread([this] {
    std::vector<std::unique_ptr<LockHandle>> others;
    for (std::uint32_t key = 1; key <= program_.other_keys; ++key) {
      other_key_ = OneOfManyKeys{.key = key, .held = 1 + others.size()};
      others.push_back(lock_->handle(key));
      others.back()->lock();
      other_key_.reset();
      if (entry_.abilities.nests_keys) continue;
      others.back()->unlock();
      others.pop_back();
    }
    if (others.empty()) return try_held_keys(0);
    platform::Thread([this] { try_held_keys(program_.other_keys); }).join();
    for (const auto& other : others) other->unlock();
  }).join();
  held->unlock();
}

// Tries the keys up to `highest`, all of which other threads hold.
void CheckedRun::try_held_keys(std::uint32_t highest) {
  for (std::uint32_t key = 0; key <= highest; ++key) {
    const bool had = lock_->handle(key)->try_lock();
    const UntrackedScope untracked(world_);
    check(TryOfHeldKey{.key = key, .acquired = had, .before_program = true});
  }
}

}  // namespace lockbench::stress::explore
