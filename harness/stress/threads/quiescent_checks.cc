// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/threads/quiescent_checks.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "harness/stress/threads/history.h"

namespace lockbench::stress::threads {
namespace {

class QuiescentChecks {
 public:
  QuiescentChecks(EpochContext& context, const std::vector<std::unique_ptr<CheckedThread>>& threads)
      : context_(context), threads_(threads) {}

  void look() {
    enter_phase(SharedState::kComparing);
    for (std::uint32_t key = 0; key < context_.plan.keys; ++key) {
      for (std::uint32_t lease = 0; lease < context_.capacity; ++lease) check_updates(key, lease);
    }
    check_history();
    enter_phase(SharedState::kChecking);
    check_residue();
    for (std::uint32_t key = 0; key < context_.plan.keys; ++key) check_free(key);
    if (context_.capacity == 1 && context_.entry.abilities.hold_limit.count() == 0) {
      enter_phase(SharedState::kAnswering);
      check_answers();
    }
    if (!context_.entry.abilities.lock_per_key) return;
    enter_phase(SharedState::kIndependence);
    check_independence();
  }

 private:
  void enter_phase(SharedState::Phase phase) {
    add(context_.state.beat);
    put(context_.state.phase, phase);
  }

  void count(Oracle oracle) {
    add(context_.state.own_slot().evaluations[static_cast<std::size_t>(oracle)]);
  }

  void check_updates(std::uint32_t key, std::uint32_t lease) {
    std::uint64_t made = 0;
    for (const auto& thread : threads_) made += thread->updates(key, lease);
    const std::uint64_t counted = context_.canary(key, lease).count.read();
    count(Oracle::kConservation);
    if (made == counted) return;
    fail(context_.state, {.oracle = Oracle::kConservation,
                          .fault = FailureRecord::kUpdatesLost,
                          .key = key,
                          .lease = lease,
                          .x = made,
                          .y = counted});
  }

  void check_history() {
    History history;
    for (const auto& thread : threads_) {
      history.takes.insert(history.takes.end(), thread->takes().begin(), thread->takes().end());
      history.complete_until = std::min(history.complete_until, thread->complete_until());
    }
    Evaluations evaluations;
    const std::optional<FailureRecord> failure =
        contradiction(history,
                      {.capacity = context_.capacity,
                       .lock_per_key = context_.entry.abilities.lock_per_key,
                       .strong_try = context_.entry.abilities.strong_try,
                       .tokens = context_.entry.abilities.tokens,
                       .hold_limit_ns = context_.entry.abilities.hold_limit.count()},
                      evaluations);
    for (std::size_t i = 0; i < kOracles; ++i) {
      add(context_.state.own_slot().evaluations[i], evaluations.times[i]);
    }
    if (failure) fail(context_.state, *failure);
  }

  void check_residue() {
    const std::optional<std::size_t> kept = context_.lock.keys_kept();
    if (!kept || !context_.entry.abilities.reclaims) return;
    count(Oracle::kResidue);
    if (*kept == 0) return;
    fail(context_.state, {.oracle = Oracle::kResidue, .fault = FailureRecord::kKept, .x = *kept});
  }

  void check_free(std::uint32_t key) {
    const std::uint32_t free = free_holds(context_.lock, key, context_.entry.abilities.strong_try);
    count(Oracle::kResidue);
    count(Oracle::kModel);  // at least: try_lock() does not always fail
    if (free == context_.capacity) return;
    fail(context_.state, {.oracle = Oracle::kResidue,
                          .fault = FailureRecord::kNotFree,
                          .key = key,
                          .x = free,
                          .y = context_.capacity});
  }

  // While one thread holds a key, another one tries to get it, and is refused at once or after its
  // timeout. If it gets no answer, the process that supervises this one says so.
  void check_answers() {
    const std::unique_ptr<LockHandle> held_handle = context_.lock.handle(0);
    held_handle->lock();
    std::thread([&] {
      const std::unique_ptr<LockHandle> handle = context_.lock.handle(0);
      count(Oracle::kModel);
      bool held = handle->try_lock();
      add(context_.state.beat);
      if (!held && context_.entry.abilities.timed) {
        held = handle->try_lock_for(std::chrono::milliseconds(1));
      }
      if (held) {
        fail(context_.state, {.oracle = Oracle::kExclusion,
                              .fault = FailureRecord::kTwoInside,
                              .thread = kNoThreadNumber,
                              .other = kNoThreadNumber});
      }
      add(context_.state.beat);
    }).join();
    held_handle->unlock();
  }

  // Holds one key, the one that no thread used; another thread must get each of the others. If it
  // does not, the process that watches over this one says so.
  void check_independence() {
    const std::uint32_t held = context_.plan.keys;
    put(context_.state.held_key, held);
    std::vector<std::unique_ptr<LockHandle>> handles;
    for (std::uint32_t i = 0; i < context_.capacity; ++i) {
      handles.push_back(context_.lock.handle(held));
      handles.back()->lock();
    }
    std::thread([&] {
      for (std::uint32_t key = 0; key < held; ++key) {
        put(context_.state.asked_key, key);
        const std::unique_ptr<LockHandle> handle = context_.lock.handle(key);
        handle->lock();
        handle->unlock();
        count(Oracle::kIndependence);
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
