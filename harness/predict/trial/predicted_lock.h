// SPDX-License-Identifier: Apache-2.0

// PredictedLock: a PredictableLock in the form that workloads use.
//
// The cost of an operation beside its accesses is charged where its handle is made, with a random
// variation: without it, threads would do the same in step for ever, which no machine does.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "harness/predict/machine/simulation.h"
#include "harness/predict/plugin/predictable_lock.h"
#include "primitives/concepts.h"
#include "primitives/fence.h"
#include "workloads/random.h"

namespace lockbench::predict {

template <LockKind kKind>
class PredictedLock {
 public:
  static constexpr Promises kPromises{.reentrant = kKind == LockKind::kReentrant, .timed = true};

  // The fence of a kFenced: it guards that which a key stands for.
  using Fence = lockbench::Fence;

  PredictedLock(std::unique_ptr<PredictableLock> lock, std::uint64_t seed)
      : lock_(std::move(lock)), random_(seed) {}

  class Handle {
   public:
    explicit Handle(std::unique_ptr<PredictableHandle> handle) : handle_(std::move(handle)) {}

    void lock() { handle_->lock(); }
    bool try_lock() { return handle_->try_lock(); }
    bool try_lock_for(std::chrono::nanoseconds timeout) { return handle_->try_lock_for(timeout); }
    bool try_lock_until(platform::Time deadline) {
      return handle_->try_lock_for(deadline - platform::now());
    }
    void unlock() { handle_->unlock(); }

    void lock_shared() requires(kKind == LockKind::kShared) { handle_->lock_shared(); }
    bool try_lock_shared() requires(kKind == LockKind::kShared) {
      return handle_->try_lock_shared();
    }
    bool try_lock_shared_for(std::chrono::nanoseconds timeout) requires(kKind ==
                                                                        LockKind::kShared) {
      return handle_->try_lock_shared_for(timeout);
    }
    void unlock_shared() requires(kKind == LockKind::kShared) { handle_->unlock_shared(); }

    std::uint32_t lease() const requires(kKind == LockKind::kLeases) { return handle_->lease(); }
    std::uint64_t token() const requires(kKind == LockKind::kFenced) { return handle_->token(); }
    bool expired() const requires(kKind == LockKind::kFenced) { return handle_->expired(); }

   private:
    const std::unique_ptr<PredictableHandle> handle_;
  };

  Handle handle(std::uint64_t key) { return handle_of(key); }
  Handle handle(std::string_view key) { return handle_of(key); }

  std::uint32_t capacity() const { return lock_->capacity(); }
  std::size_t lock_bytes() const { return 0; }  // not predicted

 private:
  template <class K>
  Handle handle_of(K key) {
    charge_operation();
    return Handle(lock_->handle(key));
  }

  // From half of the mean to one and a half.
  void charge_operation() {
    machine::Simulation* const simulation = machine::Simulation::current();
    if (simulation == nullptr) return;
    const auto mean = static_cast<std::uint64_t>(simulation->model().access.operation);
    simulation->spend(static_cast<machine::Picoseconds>(mean / 2 + random_.below(mean + 1)));
  }

  const std::unique_ptr<PredictableLock> lock_;
  Random random_;
};

}  // namespace lockbench::predict
