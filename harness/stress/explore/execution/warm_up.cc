// SPDX-License-Identifier: Apache-2.0

// The uses of the lock before the threads of the program begin: many holds of one key, many
// refusals of a held key, many other keys, many holds at once.

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/stress/explore/execution/checked_run.h"
#include "harness/stress/explore/world/idle_polls.h"
#include "harness/stress/litmus/deep_nest.h"
#include "primitives/platform/thread.h"

namespace lockbench::stress::explore {
namespace {

using UntrackedScope = World::UntrackedScope;

// Least number of calls in a warm-up that can distinguish memory that grows with each call from
// memory that is freed in batches: hazard pointers and epochs free a thousand objects at once.
constexpr std::uint32_t kLeastCallsForGrowth = 4000;

}  // namespace

// Makes calls in two batches, and checks what the second one left behind. Freed memory is not
// reused in a simulation, so a batch should use one handle.
template <class Batch>
void CheckedRun::check_growth(Calls calls, std::uint32_t number, const Batch& batch) {
  const std::uint32_t first = number / 2;
  batch(first);
  const std::uint64_t live_before = world_.live_allocations();
  batch(number - first);
  if (first < kLeastCallsForGrowth) return;
  const UntrackedScope untracked(world_);
  const std::uint64_t live = world_.live_allocations();
  check(Allocations{.calls = calls,
                    .number = number - first,
                    .left = live > live_before ? live - live_before : 0});
}

void CheckedRun::warm_up() {
  if (program_.warm_up == 0) return;
  const std::unique_ptr<LockHandle> handle = lock_->handle(0);
  check_growth(Calls::kHolds, program_.warm_up, [&](std::uint32_t number) {
    for (std::uint32_t i = 0; i < number; ++i) {
      handle->lock();
      handle->unlock();
    }
  });
}

void CheckedRun::warm_up_by_refusals() {
  if (program_.refusals == 0 || capacity_ != 1 || entry_.abilities.hold_limit.count() != 0) return;
  const World::CertainScope certain(world_);
  const bool may_grow = program_.refusals >= 2 * kLeastCallsForGrowth;
  if (!may_grow) return refuse(Calls::kRefusals, program_.refusals);
  // Each batch ends with a release, for a lock that frees then what the others have left.
  for (const Calls calls : {Calls::kRefusals, Calls::kTimeouts}) {
    if (calls == Calls::kTimeouts && !entry_.abilities.timed) continue;
    check_growth(calls, program_.refusals,
                 [=, this](std::uint32_t number) { refuse(calls, number); });
  }
}

// One thread holds key 0 while another one is refused it.
void CheckedRun::refuse(Calls calls, std::uint32_t number) {
  const std::unique_ptr<LockHandle> held = lock_->handle(0);
  held->lock();
  platform::Thread([=, this] {
    const std::unique_ptr<LockHandle> refused = lock_->handle(0);
    bool had = false;
    for (std::uint32_t i = 0; i < number && !had; ++i) {
      had = calls == Calls::kTimeouts ? !times_out(*refused) : refused->try_lock();
      world_.makes_progress();
    }
    if (!had) return;
    const UntrackedScope untracked(world_);
    check(TryOfHeldKey{.key = 0, .acquired = true, .before_program = true});
  }).join();
  held->unlock();
}

bool CheckedRun::times_out(LockHandle& handle) {
  constexpr std::chrono::nanoseconds kTimeout{1};
  const std::uint32_t polls = world_.set_polls_before_time_passes(IdlePolls::kFree);
  world_.expect_answer(world_.time_ns() + kTimeout.count());
  const bool had = handle.try_lock_for(kTimeout);
  world_.answered();
  world_.set_polls_before_time_passes(polls);
  return !had;
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

void CheckedRun::warm_up_by_nest() {
  if (program_.nest == 0 || entry_.abilities.hold_limit.count() != 0) return;
  const World::CertainScope certain(world_);
  const auto refused = [this] { platform::Thread([this] { try_held_keys(0); }).join(); };
  hold_deeply(*lock_, program_.nest, refused, [] { return true; });
}

}  // namespace lockbench::stress::explore
