// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "harness/stress/litmus/demand.h"
#include "harness/stress/litmus/unused_key.h"
#include "harness/stress/mix.h"
#include "harness/stress/oracles/history.h"
#include "harness/stress/threads/epoch_checks.h"
#include "harness/stress/threads/own_thread.h"

namespace lockbench::stress::threads {
namespace {

// If lock() does not return, the supervising process detects that.
class UnusedKey {
 public:
  static constexpr int kTriesOfFreeKey = stress::kTriesOfFreeKey;

  UnusedKey(EpochContext& context, std::uint32_t key) : context_(context), key_(key) {}

  static void refused() {}
  bool hold_all() {
    SharedState& state = context_.state;
    put(state.asked_key, key_);
    add(state.beat);
    put(state.phase, SharedState::kFreeKey);
    stress::hold_all(context_.lock, key_);
    lock_returns = true;
    add(state.beat);
    put(state.phase, SharedState::kChecking);
    return true;
  }
  std::unique_ptr<LockUnderTest> new_lock() {
    return context_.entry.make(keys_to_make(context_.plan.program, context_.entry.abilities) + 1);
  }
  void let_time_pass() {
    add(context_.state.beat);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  std::optional<bool> lock_returns;

 private:
  EpochContext& context_;
  const std::uint32_t key_;
};

// A timeout until just after the next full second of the clock that has it sooner, if that is soon:
// a deadline whose nanoseconds are not carried is none. Else 0.
std::chrono::nanoseconds until_next_second() {
  using std::chrono::nanoseconds;
  constexpr nanoseconds kSoon = std::chrono::milliseconds(150);
  constexpr nanoseconds kAfter = std::chrono::milliseconds(1);
  const auto left = [](nanoseconds now) {
    constexpr nanoseconds kSecond = std::chrono::seconds(1);
    return kSecond - now % kSecond;
  };
  const nanoseconds least = std::min(left(std::chrono::steady_clock::now().time_since_epoch()),
                                     left(std::chrono::system_clock::now().time_since_epoch()));
  return least > kSoon ? nanoseconds(0) : least + kAfter;
}

class QuiescentChecks {
 public:
  QuiescentChecks(EpochContext& context, const std::vector<std::unique_ptr<CheckedThread>>& threads)
      : context_(context), threads_(threads) {}

  void look() {
    enter_phase(SharedState::kComparing);
    for (std::uint32_t key = 0; key < context_.plan.keys; ++key) {
      const bool counted = context_.entry.abilities.numbers_holders();
      for (std::uint32_t lease = 0; counted && lease < context_.capacity; ++lease) {
        check_updates(key, lease);
      }
    }
    check_history();
    enter_phase(SharedState::kChecking);
    check_residue();
    for (std::uint32_t key = 0; key < context_.plan.keys; ++key) check_free(key);
    if (context_.capacity == 1 && context_.entry.abilities.hold_limit.count() == 0) {
      check_answers();
    }
    check_seldom();
    const Abilities& abilities = context_.entry.abilities;
    if (!abilities.lock_per_key || abilities.limits.keys == 1) return;
    check_independence();
  }

 private:
  void enter_phase(SharedState::Phase phase) {
    add(context_.state.beat);
    put(context_.state.phase, phase);
  }

  template <class Seen>
  void check(const Seen& seen) {
    threads::check(context_.state, kOwnSlot, seen);
  }

  // Checks that take as long as an epoch. They run only after some epochs, which the seeds select.
  void check_seldom() {
    const Abilities& abilities = context_.entry.abilities;
    if (abilities.hold_limit.count() != 0) return;
    // This phase has the longer patience of the whole process, not that of a single call, because
    // many threads queue here.
    enter_phase(SharedState::kComparing);
    const std::uint64_t draw = mix(context_.plan.seed);
    const bool many_keys = abilities.lock_per_key && abilities.any_key && context_.capacity == 1 &&
                           context_.plan.program.key_set == 0 && abilities.limits.keys == 0 &&
                           abilities.limits.keys_of_thread == 0;
    if (abilities.fair) check_arrival_order(context_, draw >> 16);
    if (abilities.bypass_limit != 0 && context_.capacity == 1) {
      check_bypass_limit(context_, draw % 2 == 0);
    }
    if (abilities.keys_read && draw % 4 == 3) check_crowd_of_readers(context_);
    if (context_.capacity == 1 && draw % 8 == 6) check_crowd_of_sleepers(context_);
    if (many_keys && draw % 4 == 0) scan_keys(context_, draw);
    if (draw % 4 == 1) check_memory_growth(context_, Calls::kHolds);
    const bool refuses = context_.capacity == 1;
    const bool times_out = refuses && abilities.timed;
    if (draw % 4 == 0 && times_out) check_timeouts_of_more_bits(context_);
    if (draw % 2 == 0 && times_out) check_timeout_of_a_woken_thread(context_);
    if (draw % 4 == 2 && refuses) check_memory_growth(context_, Calls::kRefusals);
    if (draw % 4 == 3 && times_out) check_memory_growth(context_, Calls::kTimeouts);
    const std::uint64_t of_fork = draw >> 8;
    const bool forks = of_fork % (abilities.survives_fork ? 2 : 16) == 0;
    if (forks && context_.capacity == 1) check_fork_while_held(context_);
    if (abilities.last_may_destroy) check_last_leaver(context_, draw);
  }

  void check_updates(std::uint32_t key, std::uint32_t lease) {
    std::uint64_t made = 0;
    for (const auto& thread : threads_) made += thread->updates(key, lease);
    check(Updates{.when = Updates::kAtEnd,
                  .key = key,
                  .lease = lease,
                  .least = made,
                  .most = made,
                  .seen = context_.canary(key, lease).count.read()});
  }

  void check_history() {
    std::vector<Take> takes;
    std::int64_t complete_until = std::numeric_limits<std::int64_t>::max();
    for (const auto& thread : threads_) {
      takes.insert(takes.end(), thread->takes().begin(), thread->takes().end());
      complete_until = std::min(complete_until, thread->complete_until());
    }
    const Abilities& abilities = context_.entry.abilities;
    check(History(std::move(takes),
                  {.capacity = context_.capacity,
                   .lock_per_key = abilities.lock_per_key,
                   .strong_try = abilities.strong_try,
                   .tokens = abilities.tokens,
                   .hold_limit_ns = abilities.hold_limit.count()},
                  complete_until));
  }

  void check_residue() {
    const std::optional<std::size_t> keys = context_.lock.keys_kept();
    if (!keys || !context_.entry.abilities.reclaims) return;
    check(KeysKept{.keys = *keys});
  }

  void check_free(std::uint32_t key) {
    const std::optional<bool> locked = context_.lock.handle(key)->is_locked();
    if (locked && context_.capacity == 1) {
      check(OwnerAnswer{.query = OwnerAnswer::kLocked, .key = key, .answer = *locked});
    }
    UnusedKey unused(context_, key);
    const std::uint32_t free =
        holds_of_unused_key(context_.lock, key, context_.entry.abilities.strong_try, unused);
    check(FreeKey{.key = key,
                  .free = free,
                  .capacity = context_.capacity,
                  .lock_returns = unused.lock_returns});
  }

  // While one thread holds a key, another one tries to acquire it and is refused at once or after
  // its timeout. If its call does not return, the supervising process detects that.
  void check_answers() {
    const std::unique_ptr<LockHandle> held_handle = context_.lock.handle(0);
    held_handle->lock();
    enter_phase(SharedState::kAnswering);
    own_thread(context_.state, [&] {
      const std::unique_ptr<LockHandle> handle = context_.lock.handle(0);
      check(TryOfHeldKey{.acquired = handle->try_lock()});
      add(context_.state.beat);
      if (context_.entry.abilities.timed) check_timeouts(*handle);
      add(context_.state.beat);
    }).join();
    const std::uint32_t room = context_.entry.abilities.limits.threads;
    const bool queues = context_.entry.abilities.timed && (room == 0 || room > 2);
    std::thread waiter;
    if (queues) {
      waiter = own_thread(context_.state, [&] { hold_once(0); });
      check_timeout_behind_a_waiter();
    }
    enter_phase(SharedState::kChecking);
    held_handle->unlock();
    if (queues) waiter.join();
  }

  void hold_once(std::uint32_t key) {
    const std::unique_ptr<LockHandle> handle = context_.lock.handle(key);
    handle->lock();
    handle->unlock();
  }

  // Another thread holds key 0, and a further one waits for it, without a timeout, as soon as it
  // has had some time.
  void check_timeout_behind_a_waiter() {
    constexpr std::chrono::milliseconds kToBegin{1};
    std::this_thread::sleep_for(kToBegin);
    own_thread(context_.state, [&] {
      const std::unique_ptr<LockHandle> handle = context_.lock.handle(0);
      check(TryOfHeldKey{.acquired = handle->try_lock_for(kToBegin)});
      add(context_.state.beat);
    }).join();
  }

  // Another thread holds the key.
  void check_timeouts(LockHandle& handle) {
    using std::chrono::milliseconds;
    const std::chrono::nanoseconds timeouts[] = {milliseconds(1), milliseconds(0), milliseconds(-1),
                                                 until_next_second()};
    for (const std::chrono::nanoseconds timeout : timeouts) {
      const platform::Time asked = platform::now();
      const bool acquired = handle.try_lock_for(timeout);
      const std::chrono::nanoseconds waited = platform::now() - asked;
      check(TryOfHeldKey{.acquired = acquired});
      if (!acquired) check(Refusal{.timeout_ns = timeout.count(), .waited_ns = waited.count()});
      add(context_.state.beat);
    }
  }

  // Holds the key that no thread used. Another thread must be able to acquire each of the other
  // keys. If it is not, the supervising process detects that.
  void check_independence() {
    enter_phase(SharedState::kChecking);
    const std::uint32_t held = context_.plan.keys;
    put(context_.state.held_key, held);
    std::vector<std::unique_ptr<LockHandle>> handles;
    for (std::uint32_t i = 0; i < context_.capacity; ++i) {
      handles.push_back(context_.lock.handle(held));
      handles.back()->lock();
    }
    own_thread(context_.state, [&] {
      for (std::uint32_t key = 0; key < held; ++key) {
        put(context_.state.asked_key, key);
        const std::unique_ptr<LockHandle> handle = context_.lock.handle(key);
        enter_phase(SharedState::kIndependence);
        handle->lock();
        enter_phase(SharedState::kChecking);
        handle->unlock();
        check(OtherKey{.held = held, .asked = key, .acquired = true});
        add(context_.state.beat);
      }
    }).join();
    for (const auto& handle : handles) handle->unlock();
  }

  EpochContext& context_;
  const std::vector<std::unique_ptr<CheckedThread>>& threads_;
};

}  // namespace

void check_quiescent_state(EpochContext& context,
                           const std::vector<std::unique_ptr<CheckedThread>>& threads) {
  QuiescentChecks(context, threads).look();
}

}  // namespace lockbench::stress::threads
