// SPDX-License-Identifier: Apache-2.0

// WarmUp: what happens to the lock before the threads of the program begin.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "harness/stress/litmus/deep_nest.h"
#include "harness/stress/oracles/seen.h"
#include "harness/stress/threads/epoch_checks.h"
#include "harness/stress/threads/epoch_context.h"
#include "harness/stress/threads/own_thread.h"

namespace lockbench::stress::threads {
namespace {

class TimeLeft {
 public:
  explicit TimeLeft(std::chrono::milliseconds time = std::chrono::milliseconds(100))
      : until_(Clock::now() + time) {}
  bool is_left() const { return Clock::now() < until_; }

 private:
  using Clock = std::chrono::steady_clock;

  const Clock::time_point until_;
};

// A million holds take this long where other work has most of the processors.
constexpr std::chrono::milliseconds kManyHolds{400};

void warm_up_by_holds(LockUnderTest& lock, std::uint32_t holds) {
  constexpr std::uint32_t kHoldsOfALook = 16;  // at the clock, which takes longer than a hold
  const TimeLeft time(kManyHolds);
  for (std::uint32_t i = 0; i < holds; ++i) {
    if (i % kHoldsOfALook == 0 && !time.is_left()) return;
    const std::unique_ptr<LockHandle> handle = lock.handle(0);
    handle->lock();
    handle->unlock();
  }
}

// One thread holds key 0, and another thread is refused it `refusals` times, or for as long as a
// warm-up may take.
void warm_up_by_refusals(SharedState& state, LockUnderTest& lock, std::uint32_t refusals) {
  if (refusals == 0 || lock.capacity() != 1) return;
  const std::unique_ptr<LockHandle> held = lock.handle(0);
  held->lock();
  put(state.phase, SharedState::kAnswering);
  bool had = false;
  own_thread(state, [&] {
    const TimeLeft time;
    const std::unique_ptr<LockHandle> refused = lock.handle(0);
    for (std::uint32_t i = 0; i < refusals && !had && time.is_left(); ++i) {
      had = refused->try_lock();
    }
  }).join();
  put(state.phase, SharedState::kChecking);
  check(state, kOwnSlot, TryOfHeldKey{.key = 0, .acquired = had, .before_program = true});
  held->unlock();
}

// Tries keys that other threads hold, from 0 on.
void try_held_keys(SharedState& state, LockUnderTest& lock, std::size_t count) {
  const TimeLeft time;
  for (std::uint32_t key = 0; key < count && (key == 0 || time.is_left()); ++key) {
    add(state.beat);
    put(state.phase, SharedState::kAnswering);
    const bool had = lock.handle(key)->try_lock();
    put(state.phase, SharedState::kChecking);
    check(state, kOwnSlot, TryOfHeldKey{.key = key, .acquired = had, .before_program = true});
  }
}

// One thread holds key 0, and another one acquires other keys. Where a thread may hold several
// keys, it holds all of them at once. Then the keys that are held are tried. A lock that throws
// while it holds many has no memory or no file descriptors for more; half of them are then
// released.
void warm_up_by_other_keys(SharedState& state, LockUnderTest& lock, std::uint32_t other_keys,
                           bool nests_keys) {
  if (other_keys == 0 || lock.capacity() != 1) return;
  const std::unique_ptr<LockHandle> held = lock.handle(0);
  held->lock();
  put(state.phase, SharedState::kOtherKeys);
  own_thread(state, [&] {
    const TimeLeft time;
    std::vector<std::unique_ptr<LockHandle>> others;
    try {
      for (std::uint32_t key = 1; key <= other_keys && time.is_left(); ++key) {
        put(state.asked_key, key);
        put(state.held_key, 1 + others.size());
        std::unique_ptr<LockHandle> other = lock.handle(key);
        other->lock();
        add(state.beat);
        if (nests_keys) {
          others.push_back(std::move(other));
        } else {
          other->unlock();
        }
      }
    } catch (const std::exception&) {
      if (others.size() < kManyKeys) throw;
      for (const std::size_t kept = others.size() / 2; others.size() > kept; others.pop_back()) {
        others.back()->unlock();
      }
    }
    put(state.phase, SharedState::kChecking);
    own_thread(state, [&] { try_held_keys(state, lock, 1 + others.size()); }).join();
    for (const auto& other : others) other->unlock();
  }).join();
  held->unlock();
}

// One thread holds key 0 many times at once, and another one is refused it.
void warm_up_by_nest(SharedState& state, LockUnderTest& lock, std::uint32_t nest) {
  if (nest == 0) return;
  const auto refused = [&] {
    own_thread(state, [&] { try_held_keys(state, lock, 1); }).join();
    add(state.beat);
  };
  const TimeLeft time;
  hold_deeply(lock, nest, refused, [&] { return time.is_left(); });
}

}  // namespace

void warm_up(SharedState& state, LockUnderTest& lock, const LitmusProgram& program,
             const Abilities& abilities) {
  warm_up_by_holds(lock, program.warm_up);
  if (abilities.hold_limit.count() != 0) return;
  warm_up_by_refusals(state, lock, program.refusals);
  warm_up_by_other_keys(state, lock, program.other_keys, abilities.nests_keys);
  warm_up_by_nest(state, lock, program.nest);
}

}  // namespace lockbench::stress::threads
