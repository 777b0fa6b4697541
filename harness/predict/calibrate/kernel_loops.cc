// SPDX-License-Identifier: Apache-2.0

#include "harness/predict/calibrate/kernel_loops.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

#include "harness/base/median.h"
#include "primitives/platform/barrier.h"
#include "primitives/platform/futex.h"

namespace lockbench::calibration {
namespace {

// Long enough for a thread to fall asleep, and short as the sleeps in a lock are.
constexpr platform::Duration kUntilAsleep = std::chrono::microseconds(20);

// Looks at the clock until `over` has come to `phase`, and takes the times between two looks that
// are longer than `least_ns`.
template <class T>
std::vector<double> gaps_until(const Word<T>& over, T phase, double least_ns) {
  constexpr std::size_t kMost = 4096;
  std::vector<double> gaps;
  gaps.reserve(kMost);
  Time last = platform::now();
  while (over.load() < phase) {
    const Time now = platform::now();
    const double ns = ns_between(last, now);
    last = now;
    if (ns > least_ns && gaps.size() < kMost) gaps.push_back(ns);
  }
  return gaps;
}

// Which of two threads of a processor ran last. No order is needed: one runs at a time.
class Turns {
 public:
  // True if the other one ran since this thread's last call.
  bool taken_over(std::uint64_t self) {
    if (last_.load() == self) return false;
    last_.store(self);
    return true;
  }

 private:
  Number last_;
};

}  // namespace

WakeTimes wake_times(Runner& runner, int a, int b, std::uint32_t rounds) {
  platform::FutexWord word{0};
  Word<std::uint32_t> sleeps;
  Word<std::uint32_t> awake;
  Word<std::int64_t> woke_at;
  std::vector<double> calls;
  std::vector<double> wakeups;
  const auto ticks = [](Time time) { return time.time_since_epoch().count(); };
  const auto wait_until_it_sleeps = [&](std::uint32_t round) {
    while (sleeps.value.load(kAcquire) != round) platform::pause();
    const Time asleep = platform::now() + kUntilAsleep;
    while (platform::now() < asleep) platform::pause();
  };
  const auto waker = [&] {
    for (std::uint32_t round = 1; round <= rounds; ++round) {
      wait_until_it_sleeps(round);
      word.exchange(round, kRelease);
      const Time from = platform::now();
      platform::futex_wake(word, 1);
      const Time to = platform::now();
      while (awake.value.load(kAcquire) != round) platform::pause();
      calls.push_back(ns_between(from, to));
      wakeups.push_back(static_cast<double>(woke_at.load() - ticks(to)));
    }
  };
  const auto sleeper = [&] {
    for (std::uint32_t round = 1; round <= rounds; ++round) {
      sleeps.value.store(round, kRelease);
      Time woke{};
      do {
        platform::futex_wait(word, round - 1);
        woke = platform::now();
      } while (word.load(kAcquire) != round);
      woke_at.store(ticks(woke));
      awake.value.store(round, kRelease);
    }
  };
  runner.run({{a, waker}, {b, sleeper}});
  return {.call = undisturbed(std::move(calls)), .wakeup = undisturbed(std::move(wakeups))};
}

BarrierTimes barrier_times(Runner& runner, int a, int b, std::uint32_t barriers) {
  constexpr double kLongerThanALook = 4;
  Number phase;
  std::vector<double> calls;
  double look_ns = 0;
  std::vector<double> gaps;
  const auto caller = [&] {
    while (phase.value.load(kAcquire) == 0) platform::pause();
    for (std::uint32_t i = 0; i < barriers; ++i) {
      const Time from = platform::now();
      platform::heavy_barrier();
      calls.push_back(ns_between(from, platform::now()));
    }
    phase.value.store(2, kRelease);
  };
  const auto interrupted = [&] {
    std::vector<double> looks;
    Time last = platform::now();
    for (int i = 0; i < 1000; ++i) {
      const Time now = platform::now();
      looks.push_back(ns_between(last, now));
      last = now;
    }
    look_ns = median(std::move(looks));
    phase.value.store(1, kRelease);
    gaps = gaps_until<std::uint64_t>(phase, 2, kLongerThanALook * look_ns);
  };
  runner.run({{a, caller}, {b, interrupted}});
  // While another process has the processor of `b`, nothing is interrupted and the call is cheap:
  // not the shortest calls count here.
  return {.call = quantile(std::move(calls), 0.75),
          .delay = gaps.empty() ? 0 : std::max(0.0, median(std::move(gaps)) - look_ns)};
}

double turn_ns(Runner& runner, int processor, std::uint32_t changes, bool yields) {
  Turns turns;
  Start start(2);
  Number over;
  std::array<std::vector<Time>, 2> began;  // each thread's turns
  const auto body = [&](std::uint64_t self) {
    std::vector<Time>& mine = began[self - 1];
    start.arrive();
    while (over.load() == 0) {
      if (yields) platform::yield();
      if (turns.taken_over(self)) mine.push_back(platform::now());
      if (mine.size() > changes / 2) over.store(1);
    }
  };
  runner.run({{processor, [&] { body(1); }}, {processor, [&] { body(2); }}});
  std::vector<Time>& all = began[0];
  all.insert(all.end(), began[1].begin(), began[1].end());
  std::sort(all.begin(), all.end());
  std::vector<double> lengths;
  for (std::size_t i = 1; i < all.size(); ++i) lengths.push_back(ns_between(all[i - 1], all[i]));
  return undisturbed(std::move(lengths));
}

double sleep_switch(Runner& runner, int processor, std::uint32_t rounds) {
  platform::FutexWord word{0};
  Word<std::uint32_t> sleeps;
  Word<std::int64_t> before_sleep;
  std::vector<double> lengths;
  const auto ticks = [] { return platform::now().time_since_epoch().count(); };
  const auto sleeper = [&] {
    for (std::uint32_t round = 1; round <= rounds; ++round) {
      before_sleep.store(ticks());
      sleeps.value.store(round, kRelease);
      while (word.load(kAcquire) != round) platform::futex_wait(word, round - 1);
    }
  };
  const auto other = [&] {
    for (std::uint32_t round = 1; round <= rounds; ++round) {
      std::int64_t now = ticks();
      while (sleeps.value.load(kAcquire) != round) {
        platform::yield();
        now = ticks();
      }
      lengths.push_back(static_cast<double>(now - before_sleep.load()));
      word.exchange(round, kRelease);
      platform::futex_wake(word, 1);
    }
  };
  runner.run({{processor, sleeper}, {processor, other}});
  return undisturbed(std::move(lengths));
}

}  // namespace lockbench::calibration
