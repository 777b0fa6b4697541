// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/threads/waiter.h"

#include <chrono>
#include <cstdint>
#include <ctime>
#include <optional>
#include <pthread.h>

#include "harness/stress/supervision/stall_detector.h"

namespace lockbench::stress::threads {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kBetweenStates{1};
// A waiter certainly waits if it was asleep in this many looks in a row and used no processor time
// between them, or if it has used a processor for this long since its request.
constexpr int kAsleep = 4;
constexpr std::int64_t kSpunNs = 5'000'000;
constexpr milliseconds kMostForOne{100};

std::int64_t processor_ns(pthread_t thread) {
  clockid_t clock{};
  timespec time{};
  if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

Waits waits(const Waiter& waiter) {
  const pthread_t thread = const_cast<std::thread&>(waiter.thread).native_handle();
  const auto until = Clock::now() + kMostForOne;
  std::optional<std::int64_t> began_ns;
  std::int64_t last_ns = 0;
  for (int asleep = 0; Clock::now() < until;) {
    std::this_thread::sleep_for(kBetweenStates);
    if (!waiter.requests.load(std::memory_order_acquire)) continue;
    const std::int64_t now_ns = processor_ns(thread);
    if (!began_ns) began_ns = last_ns = now_ns;
    if (now_ns - *began_ns >= kSpunNs) return Waits::kSpins;
    const auto state = task_state(getpid(), waiter.task.load(std::memory_order_relaxed));
    const bool sleeps = state && !state->runnable && !state->held_up && now_ns == last_ns;
    last_ns = now_ns;
    asleep = sleeps ? asleep + 1 : 0;
    if (asleep == kAsleep) return Waits::kSleeps;
  }
  return Waits::kUnknown;
}

}  // namespace lockbench::stress::threads
