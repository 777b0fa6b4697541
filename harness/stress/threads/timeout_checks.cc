// SPDX-License-Identifier: Apache-2.0

// Waits that must end at their timeout and not before or long after it, though something else
// happens meanwhile.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <pthread.h>
#include <sched.h>
#include <thread>
#include <vector>

#include "harness/kernel/processors.h"
#include "harness/stress/litmus/timeouts.h"
#include "harness/stress/oracles/model.h"
#include "harness/stress/supervision/stall_detector.h"
#include "harness/stress/threads/epoch_checks.h"
#include "harness/stress/threads/fault_injector.h"
#include "harness/stress/threads/own_thread.h"
#include "primitives/platform/clock.h"

namespace lockbench::stress::threads {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr milliseconds kTimeout{10};
constexpr milliseconds kMost{700};  // until the waiting thread must have returned
constexpr milliseconds kHold{1};

// While an object of this class exists, its thread, and each that it makes, runs on one processor.
class OneProcessor {
 public:
  OneProcessor() : usable_(allowed_processor_numbers()) {
    if (const int here = sched_getcpu(); here >= 0 && !usable_.empty()) bind_to(0, {here});
  }
  ~OneProcessor() {
    if (!usable_.empty()) bind_to(0, usable_);
  }
  OneProcessor(const OneProcessor&) = delete;
  OneProcessor& operator=(const OneProcessor&) = delete;

 private:
  const std::vector<int> usable_;
};

// How long after its timeout a waiting thread returns, whose key is released and taken again each
// millisecond; without the time in which it, or the thread that releases, did not run. Both are on
// one processor, and the one that waits is of the lowest priority: it runs only once the other has
// the key again.
nanoseconds lateness_of_a_woken_thread(EpochContext& context) {
  std::atomic<bool> ended{false};
  nanoseconds late{0};
  nanoseconds stopped{0};
  const auto sleep = [&stopped](milliseconds time, const auto& then) {
    const platform::Time before = platform::now();
    std::this_thread::sleep_for(time);
    then();
    stopped += std::max<nanoseconds>(platform::now() - before - time - kHold, nanoseconds(0));
  };
  const OneProcessor one;
  const std::unique_ptr<LockHandle> held = context.lock.handle(0);
  held->lock();
  std::thread waiter = own_thread(context.state, [&] {
    constexpr sched_param kNone{};
    pthread_setschedparam(pthread_self(), SCHED_BATCH, &kNone);
    const std::unique_ptr<LockHandle> handle = context.lock.handle(0);
    const auto delay_before = static_cast<std::int64_t>(own_delay_ns());
    const platform::Time asked = platform::now();
    const bool had = handle->try_lock_for(kTimeout);
    late = platform::now() - asked - kTimeout;
    late -= nanoseconds(static_cast<std::int64_t>(own_delay_ns()) - delay_before);
    if (had) handle->unlock();
    ended.store(true);
  });
  const platform::Time until = platform::now() + kMost;
  while (!ended.load() && platform::now() < until) {
    sleep(kHold, [&] {
      held->unlock();
      held->lock();
    });
    add(context.state.beat);
  }
  if (!ended.load()) sleep(2 * kTimeout, [] {});  // one that began anew ends
  held->unlock();
  waiter.join();
  return late - stopped;
}

}  // namespace

void check_timeouts_of_more_bits(EpochContext& context) {
  for (const nanoseconds timeout : kTimeoutsOfMoreBits) {
    const std::unique_ptr<LockHandle> held = context.lock.handle(0);
    held->lock();
    std::thread waiter = own_thread(context.state, [&] {
      const std::unique_ptr<LockHandle> handle = context.lock.handle(0);
      const platform::Time asked = platform::now();
      if (handle->try_lock_for(timeout)) return handle->unlock();
      const nanoseconds waited = platform::now() - asked;
      check(context.state, kOwnSlot,
            Refusal{.timeout_ns = timeout.count(), .waited_ns = waited.count()});
    });
    std::this_thread::sleep_for(2 * kShortOfTimeout);
    held->unlock();
    waiter.join();
    add(context.state.beat);
  }
}

void check_timeout_of_a_woken_thread(EpochContext& context) {
  const auto seen = [&] {
    return Overdue{.thread = kNoThread, .overdue_ns = lateness_of_a_woken_thread(context).count()};
  };
  // The whole machine may have stood still unseen; not twice.
  const Overdue first = seen();
  const bool late = oracles::Model::check(first).failure.has_value();
  check(context.state, kOwnSlot, late ? seen() : first);
}

}  // namespace lockbench::stress::threads
