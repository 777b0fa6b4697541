// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/threads/access_delays.h"

#include <atomic>
#include <ctime>
#include <sched.h>
#include <unistd.h>

#include "harness/stress/mix.h"

namespace lockbench::stress::threads {
namespace {

// 0: no delays.
std::atomic<std::uint64_t> the_seed{0};

void sleep_for_us(std::uint64_t us) {
  const timespec nap{.tv_sec = 0, .tv_nsec = static_cast<long>(us * 1000)};
  nanosleep(&nap, nullptr);
}

// One of this many addresses of accesses in the code is slow.
constexpr std::uint64_t kSlowOneIn = 4;
// At a slow one, one of this many accesses yields, and one of this many sleeps for at most this
// time.
constexpr std::uint64_t kSlowYieldOneIn = 2;
constexpr std::uint64_t kSlowSleepOneIn = 16;
constexpr std::uint64_t kLongestSleepUs = 500;
// At any other address, one of this many accesses yields.
constexpr std::uint64_t kYieldOneIn = 32;

}  // namespace

AccessDelays::AccessDelays(std::uint64_t seed) {
  // relaxed: a thread that reads the old seed for a while is only delayed later.
  the_seed.store(seed, std::memory_order_relaxed);
}

AccessDelays::~AccessDelays() {
  the_seed.store(0, std::memory_order_relaxed);
}

void delay_access(const void* code) {
  const std::uint64_t seed = the_seed.load(std::memory_order_relaxed);
  if (seed == 0) return;
  static thread_local std::uint64_t draws = mix(seed ^ static_cast<std::uint64_t>(gettid()));
  const std::uint64_t draw = mix(++draws);
  const bool slow = mix(reinterpret_cast<std::uintptr_t>(code) ^ seed) % kSlowOneIn == 0;
  if (slow && draw % kSlowSleepOneIn == 0) {
    sleep_for_us(1 + (draw >> 32) % kLongestSleepUs);
  } else if (draw % (slow ? kSlowYieldOneIn : kYieldOneIn) == 1) {
    sched_yield();
  }
}

}  // namespace lockbench::stress::threads
