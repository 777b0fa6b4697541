// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/threads/timeout_checks.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>

#include "harness/stress/litmus/timeouts.h"
#include "harness/stress/supervision/task_state.h"
#include "primitives/platform/clock.h"

namespace lockbench::stress::threads {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

}  // namespace

void check_timeouts_of_more_bits(EpochContext& context) {
  for (const nanoseconds timeout : kTimeoutsOfMoreBits) {
    const std::unique_ptr<LockHandle> held = context.lock.handle(0);
    held->lock();
    std::thread waiter([&] {
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
  constexpr milliseconds kTimeout{10};
  constexpr milliseconds kMost{700};
  constexpr milliseconds kHold{1};
  std::atomic<bool> ended{false};
  nanoseconds late{0};
  const std::unique_ptr<LockHandle> held = context.lock.handle(0);
  held->lock();
  std::thread waiter([&] {
    const std::unique_ptr<LockHandle> handle = context.lock.handle(0);
    const auto delay_before = static_cast<std::int64_t>(own_delay_ns());
    const platform::Time asked = platform::now();
    const bool had = handle->try_lock_for(kTimeout);
    late = platform::now() - asked - kTimeout;
    late -= nanoseconds(static_cast<std::int64_t>(own_delay_ns()) - delay_before);
    if (had) handle->unlock();
    ended.store(true);
  });
  nanoseconds stopped{0};  // in which this thread did not run, and perhaps no other one
  const platform::Time until = platform::now() + kMost;
  for (platform::Time now = platform::now(); !ended.load() && now < until;) {
    std::this_thread::sleep_for(kHold);
    held->unlock();
    held->lock();
    add(context.state.beat);
    const platform::Time before = std::exchange(now, platform::now());
    stopped += std::max<nanoseconds>(now - before - 2 * kHold, nanoseconds(0));
  }
  if (!ended.load()) std::this_thread::sleep_for(2 * kTimeout);  // one that began anew ends
  held->unlock();
  waiter.join();
  check(context.state, kOwnSlot,
        Overdue{.thread = kNoThread, .overdue_ns = (late - stopped).count()});
}

}  // namespace lockbench::stress::threads
