// SPDX-License-Identifier: Apache-2.0

// Crowd of sleepers: whether a lock wakes as many threads as have come to sleep. A count of 8 bits
// is 0 again when 256 of them sleep, and who releases the lock then wakes nobody.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "harness/stress/litmus/lock_under_test.h"
#include "harness/stress/supervision/stall_detector.h"
#include "harness/stress/threads/epoch_checks.h"
#include "harness/stress/threads/waiter.h"

namespace lockbench::stress::threads {
namespace {

// One for each value of a count of 8 bits, and some more. As they are served one by one, each
// smaller number of them sleeps once.
constexpr std::uint32_t kSleepers = 260;

// Threads that spin would take turns on the processors for seconds, so only the first few are
// looked at.
constexpr std::uint32_t kLookedAt = 2;

// None of them has been served for this long.
constexpr std::chrono::seconds kPatience{2};
constexpr std::chrono::milliseconds kBetweenLooks{5};

// Those that hold nothing yet wait in a call of the lock.
bool all_sleep(const std::list<Waiter>& waiters) {
  return std::all_of(waiters.begin(), waiters.end(), [](const Waiter& waiter) {
    const auto state = task_state(getpid(), waiter.task.load(std::memory_order_relaxed));
    return !state || (!state->runnable && !state->held_up);
  });
}

// Returns when all were served, or reports those that are not.
void watch(EpochContext& context, const std::list<Waiter>& waiters,
           const std::atomic<std::uint32_t>& served) {
  const auto all = static_cast<std::uint32_t>(waiters.size());
  std::uint32_t before = 0;
  for (auto since = std::chrono::steady_clock::now();;) {
    const std::uint32_t now = served.load(std::memory_order_acquire);
    const auto moment = std::chrono::steady_clock::now();
    if (now == all) break;
    if (std::exchange(before, now) != now) since = moment;
    if (moment - since > kPatience && all_sleep(waiters) && context.lock.handle(0)->try_lock()) {
      check(context.state, kOwnSlot, ServedSleepers{.key = 0, .all = all, .left = all - now});
    }
    std::this_thread::sleep_for(kBetweenLooks);
  }
  check(context.state, kOwnSlot, ServedSleepers{.key = 0, .all = all});
}

}  // namespace

void check_crowd_of_sleepers(EpochContext& context) {
  const LockLimits& limits = context.entry.abilities.limits;
  if (limits.threads != 0 && limits.threads <= kSleepers) return;
  const std::unique_ptr<LockHandle> held = context.lock.handle(0);
  held->lock();
  std::list<Waiter> waiters;
  std::atomic<std::uint32_t> served{0};
  while (waiters.size() < kSleepers) {
    Waiter& waiter = waiters.emplace_back();
    try {
      waiter.thread = std::thread([&context, &waiter, &served] {
        const std::unique_ptr<LockHandle> handle = context.lock.handle(0);
        waiter.requests_now();
        handle->lock();
        add(context.state.beat);
        handle->unlock();
        served.fetch_add(1, std::memory_order_release);
      });
    } catch (const std::system_error&) {
      add(context.state.smaller_crowds);
      waiters.pop_back();
      break;
    }
    add(context.state.beat);
    if (waiters.size() <= kLookedAt && waits(waiter) != Waits::kSleeps) break;
  }
  // The last one comes after all others, so they sleep, too, mostly.
  if (waiters.size() == kSleepers) waits(waiters.back());
  held->unlock();
  watch(context, waiters, served);
  for (Waiter& waiter : waiters) waiter.thread.join();
}

}  // namespace lockbench::stress::threads
