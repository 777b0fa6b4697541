// SPDX-License-Identifier: Apache-2.0

// EpochContext: what the threads of an epoch share.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <sched.h>
#include <thread>
#include <utility>
#include <vector>

#include "harness/stress/owner_canary.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/threads/epoch_plan.h"
#include "harness/stress/threads/shared_state.h"
#include "primitives/platform/spin.h"

namespace lockbench::stress::threads {

// A lock that throws while a thread holds this many keys has no room for more of them.
inline constexpr std::size_t kManyKeys = 64;

#if defined(__SANITIZE_THREAD__)
// ThreadSanitizer checks memory orders only with plain accesses, because relaxed atomics may race.
class Protected {
 public:
  std::uint64_t read() const { return value_; }
  void write(std::uint64_t value) { value_ = value; }

 private:
  std::uint64_t value_ = 0;
};
#else
class Protected {
 public:
  std::uint64_t read() const { return get(value_); }
  void write(std::uint64_t value) { put(value_, value); }

 private:
  Word value_{0};
};
#endif

// A canary with a count. A holder reads the count when it enters and writes one more when it
// leaves: this is the work that the lock protects.
struct CountingCanary : OwnerCanary {
  Protected count;
};

class EpochContext {
 public:
  // `renew` makes a new lock. The last thread that arrives at a barrier calls it, while the others
  // wait.
  EpochContext(
      SharedState& shared, const RegisteredLock& who, const EpochPlan& what, LockUnderTest& made,
      std::function<void()> renew = [] {})
      : state(shared),
        entry(who),
        plan(what),
        lock(made),
        capacity(made.capacity()),
        canaries_(std::size_t{plan.keys} * capacity),
        inside_(plan.keys),
        passed_(plan.program.threads.size()),
        renew_(std::move(renew)) {}

  CountingCanary& canary(std::uint32_t key, std::uint32_t lease) {
    return canaries_[std::size_t{key} * capacity + lease];
  }

  // For a key whose holders cannot be identified: returns how many threads already hold it.
  // relaxed: the count must not order the holders.
  std::uint32_t enter(std::uint32_t key) {
    return inside_[key].fetch_add(1, std::memory_order_relaxed);
  }
  void leave(std::uint32_t key) { inside_[key].fetch_sub(1, std::memory_order_relaxed); }

  // relaxed: the flag publishes nothing else.
  bool stopping() const { return stop_.load(std::memory_order_relaxed); }
  void stop() { stop_.store(true, std::memory_order_relaxed); }

  // Returns when all threads of the epoch have arrived here, or when the epoch stops. Later
  // contention for a lock may hide a lost wake-up. At this barrier there is no contention,
  // thousands of times in an epoch. After it, all threads request the lock at once. `renews`: the
  // lock is a new one then.
  void await_all_threads(bool renews) {
    // (1) acquire: synchronizes with (2).
    const std::uint32_t round = barrier_rounds_.load(std::memory_order_acquire);
    // acq_rel: what renew_() does comes after what the threads did before they arrived.
    if (there_.fetch_add(1, std::memory_order_acq_rel) + 1 == plan.program.threads.size()) {
      if (renews && !stopping()) renew_();
      there_.store(0, std::memory_order_relaxed);
      barrier_rounds_.store(round + 1, std::memory_order_release);  // (2) publishes that to (1)
      return;
    }
    // Spins first, because the other threads arrive soon: a thread that yields at once comes back
    // late and meets no other thread at the lock.
    constexpr int kSpins = 200;
    for (int i = 0; barrier_rounds_.load(std::memory_order_acquire) == round && !stopping(); ++i) {
      i < kSpins ? platform::pause() : static_cast<void>(sched_yield());
    }
  }

  // A gate between the passes of the threads over their acts, which is open until the first call:
  // each thread that comes to it makes one pass more and then waits for the next call, or for the
  // end of the epoch. Returns the number of the pass.
  std::uint32_t let_pass_once() {
    // relaxed: the number publishes nothing else.
    return passes_.fetch_add(1, std::memory_order_relaxed) + 1;
  }

  // True if the thread has made that pass and waits at the gate.
  bool has_passed(std::size_t thread, std::uint32_t pass) const {
    return passed_[thread].load(std::memory_order_acquire) == pass;  // (3) synchronizes with (4)
  }

  // Called by thread number `thread`. `last`: the pass that it was let through for, at first 0.
  void pass_gate(std::size_t thread, std::uint32_t& last) {
    constexpr std::chrono::microseconds kBetweenLooks{500};
    while (!stopping()) {
      const std::uint32_t pass = passes_.load(std::memory_order_relaxed);
      if (pass != last || pass == 0) {
        last = pass;
        return;
      }
      passed_[thread].store(pass, std::memory_order_release);  // (4) publishes its records to (3)
      std::this_thread::sleep_for(kBetweenLooks);
    }
  }

  // A thread has called unlock() on a key that another thread may hold. It is not known which hold
  // this unlock affected, so later violations are attributed to such unlocks.
  void note_non_owner_unlock() { unrelated_.store(true, std::memory_order_relaxed); }
  bool had_non_owner_unlock() const { return unrelated_.load(std::memory_order_relaxed); }

  SharedState& state;
  const RegisteredLock& entry;
  const EpochPlan& plan;
  LockUnderTest& lock;
  const std::uint32_t capacity;

 private:
  std::vector<CountingCanary> canaries_;
  std::vector<std::atomic<std::uint32_t>> inside_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> unrelated_{false};
  std::atomic<std::uint32_t> there_{0};
  std::atomic<std::uint32_t> barrier_rounds_{0};
  std::atomic<std::uint32_t> passes_{0};
  std::vector<std::atomic<std::uint32_t>> passed_;
  const std::function<void()> renew_;
};

}  // namespace lockbench::stress::threads
