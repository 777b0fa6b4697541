// SPDX-License-Identifier: Apache-2.0

// PredictedLock: a lock behind virtual calls, in the form that workloads use.
//
// So each workload is compiled once and not once for each lock. The calls take no virtual time.
// What an operation costs beside its accesses is charged where its handle is made, with a random
// variation: without it, threads would do the same in step for ever, which no machine does.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "harness/machine/simulation.h"
#include "harness/stress/litmus/lock_under_test.h"
#include "primitives/concepts.h"
#include "workloads/random.h"

namespace lockbench::predict {

// kLeases: holders have numbers. kReentrant: the holder may lock again.
enum class LockKind { kExclusive, kReentrant, kLeases };

template <LockKind kKind>
class PredictedLock {
 public:
  static constexpr Promises kPromises{.reentrant = kKind == LockKind::kReentrant, .timed = true};

  PredictedLock(std::unique_ptr<stress::LockUnderTest> lock, std::uint64_t seed)
      : lock_(std::move(lock)), random_(seed) {}

  class Handle {
   public:
    explicit Handle(std::unique_ptr<stress::LockHandle> handle) : handle_(std::move(handle)) {}

    void lock() { handle_->lock(); }
    bool try_lock() { return handle_->try_lock(); }
    bool try_lock_for(std::chrono::nanoseconds timeout) { return handle_->try_lock_for(timeout); }
    bool try_lock_until(platform::Time deadline) {
      return handle_->try_lock_for(deadline - platform::now());
    }
    void unlock() { handle_->unlock(); }
    std::uint32_t lease() const requires(kKind == LockKind::kLeases) { return handle_->lease(); }

   private:
    const std::unique_ptr<stress::LockHandle> handle_;
  };

  Handle handle(std::uint64_t key) {
    charge_operation();
    return Handle(lock_->handle(key));
  }

  std::uint32_t capacity() const { return lock_->capacity(); }
  std::size_t lock_bytes() const { return 0; }  // not predicted

 private:
  // From half of the mean to one and a half.
  void charge_operation() {
    machine::Simulation* const simulation = machine::Simulation::current();
    if (simulation == nullptr) return;
    const auto mean = static_cast<std::uint64_t>(simulation->model().access.operation);
    simulation->spend(static_cast<machine::Picoseconds>(mean / 2 + random_.below(mean + 1)));
  }

  const std::unique_ptr<stress::LockUnderTest> lock_;
  Random random_;
};

}  // namespace lockbench::predict
