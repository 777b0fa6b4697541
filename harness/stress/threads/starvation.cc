// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/threads/starvation.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "harness/stress/supervision/task_state.h"

namespace lockbench::stress::threads {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kBetweenLooks{5};
constexpr milliseconds kLongest{3000};
// If nobody gets the key for so long, the threads are stalled, and nobody is passed over.
constexpr milliseconds kLongestPause{200};

// A thread that waited at the first look, and what it had then.
struct Waiter {
  std::uint32_t thread;
  std::uint64_t events;
  Scheduling scheduling;
};

Scheduling scheduling_of(const ThreadSlot& slot) {
  return scheduling_of_task(static_cast<pid_t>(get(slot.task)));
}

std::vector<Waiter> waiters_in(const SharedState& state) {
  std::vector<Waiter> waiters;
  for (std::uint32_t i = 0; i < get(state.threads); ++i) {
    const ThreadSlot& slot = state.slots[i];
    const Waiter waiter{i, slot.events.count(), scheduling_of(slot)};
    if (event_from(get(slot.position.doing)).kind == Event::kRequest) waiters.push_back(waiter);
  }
  return waiters;
}

std::uint64_t acquisitions_in(const SharedState& state) {
  std::uint64_t sum = 0;
  for (const ThreadSlot& slot : state.slots) sum += get(slot.acquisitions);
  return sum;
}

// `waiter` got nothing for kLongest; others got the key `grants` times.
void note_starvation(EpochContext& context, const Waiter& waiter, std::uint64_t grants) {
  constexpr auto kWaitedNs = static_cast<std::uint64_t>(std::chrono::nanoseconds(kLongest).count());
  ThreadSlot& slot = context.state.slots[waiter.thread];
  const Scheduling now = scheduling_of(slot);
  const std::uint64_t delayed_ns = now.delay_ns - waiter.scheduling.delay_ns;
  if (delayed_ns > kWaitedNs / 10 * 9) return;  // the machine is too busy to tell
  const LongestWait seen{.thread = waiter.thread,
                         .key = event_from(get(slot.position.doing)).key,
                         .waited_ns = kWaitedNs - delayed_ns,
                         .grants = grants};
  if (context.entry.abilities.fair) return check(context.state, kOwnSlot, seen);
  const bool polled_all_the_time = now.cpu_ns - waiter.scheduling.cpu_ns > seen.waited_ns / 4;
  const bool never_woken = now.turns == waiter.scheduling.turns;
  if (!polled_all_the_time && !never_woken) return;
  put(slot.starved_grants, seen.grants);
  put(slot.starved_key, seen.key);
  put(slot.starved_seed, context.plan.seed);
  put(slot.never_served_ns, seen.waited_ns);
}

}  // namespace

void check_starvation(EpochContext& context) {
  SharedState& state = context.state;
  const auto noted = [](const ThreadSlot& slot) { return get(slot.never_served_ns) != 0; };
  if (std::any_of(state.slots.begin(), state.slots.end(), noted)) return;  // once is enough
  std::vector<Waiter> waiters = waiters_in(state);
  const std::uint64_t before = acquisitions_in(state);
  const Clock::time_point began = Clock::now();
  Clock::time_point last_grant = began;
  std::uint64_t grants = 0;
  while (Clock::now() - began < kLongest) {
    std::erase_if(waiters, [&](const Waiter& waiter) {
      return state.slots[waiter.thread].events.count() != waiter.events;
    });
    if (waiters.empty() || Clock::now() - last_grant > kLongestPause) return;
    add(state.beat);
    std::this_thread::sleep_for(kBetweenLooks);
    const std::uint64_t now = acquisitions_in(state) - before;
    if (now != grants) last_grant = Clock::now();
    grants = now;
  }
  for (const Waiter& waiter : waiters) note_starvation(context, waiter, grants);
}

}  // namespace lockbench::stress::threads
