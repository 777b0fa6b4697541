// SPDX-License-Identifier: Apache-2.0

#include "workloads/work.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <utility>

#include "primitives/platform/clock.h"
#include "primitives/platform/spin.h"
#include "workloads/exponential.h"
#include "workloads/multiply_chain.h"
#include "workloads/spin_pace.h"

namespace lockbench {
namespace {

// The number of steps that take `ns`, including the time to enter the chain.
std::uint64_t steps_for(double ns, const SpinPace& pace) {
  const double steps = (ns - pace.entry_ns) * pace.steps_per_ns + 0.5;
  return steps < 0 ? 0 : static_cast<std::uint64_t>(steps);
}

// Reads the clock between the steps, but not in the last part.
void spin_by_clock(Nanoseconds duration, const SpinPace& pace) {
  constexpr double kStretchNs = 100;
  const platform::Time start = platform::now();
  const double all_ns = static_cast<double>(duration.count()) - pace.clocked_entry_ns;
  const auto left = [start, all_ns] {
    return all_ns - static_cast<double>((platform::now() - start).count());
  };
  double left_ns = left();
  for (; left_ns > 2 * kStretchNs; left_ns = left()) multiply_chain(steps_for(kStretchNs, pace));
  multiply_chain(steps_for(left_ns, pace));
}

// The minimum time per call, in ns, over `attempts` series of `calls`.
template <class Action>
double best_ns(int attempts, int calls, Action action) {
  double best = std::numeric_limits<double>::max();
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const platform::Time start = platform::now();
    for (int i = 0; i < calls; ++i) action();
    const platform::Duration took = platform::now() - start;
    best = std::min(best, static_cast<double>(took.count()) / calls);
  }
  return best;
}

// The random durations of one thread.
struct RandomDurations {
  explicit RandomDurations(std::uint64_t seed) : factors(seed) {}

  double draw_ns(const Work& work) {
    if (!work.mix.empty()) return static_cast<double>(factors.next_of(work.mix).count());
    return static_cast<double>(work.duration.count()) * factors.next();
  }

  Exponential factors;
  double owed_ns[2] = {0, 0};  // of each role: what was drawn and not yet spun
};
thread_local RandomDurations durations(0);
thread_local bool by_steps = false;  // spin_by_steps()

// A time that is shorter than the entry of a chain is added to the next duration, so that the mean
// is kept.
void spin_for(double ns, const SpinPace& pace, double& owed_ns) {
  owed_ns += ns - pace.random_ns;
  if (owed_ns <= pace.entry_ns) return;
  const double whole_ns = std::exchange(owed_ns, 0);
  if (whole_ns < static_cast<double>(kClockedFrom.count()) || by_steps) {
    return multiply_chain(steps_for(whole_ns, pace));
  }
  spin_by_clock(Nanoseconds{static_cast<std::int64_t>(whole_ns)}, pace);
}

// The time that a random duration takes beyond itself: the draw, and the end of the chain, which no
// processor foresees. The same durations in each attempt.
double random_cost_ns(int attempts, const SpinPace& pace) {
  constexpr int kDraws = Exponential::kSize;
  const Work work{.kind = Work::Kind::kRandomSpin, .duration = Nanoseconds{100}, .mix = {}};
  double owed_ns = 0;
  const double mean_ns = best_ns(attempts, 1,
                                 [&] {
                                   RandomDurations random(1);
                                   for (int i = 0; i < kDraws; ++i)
                                     spin_for(random.draw_ns(work), pace, owed_ns);
                                 }) /
                         kDraws;
  return std::max(0.0, mean_ns - static_cast<double>(work.duration.count()));
}

// The parts of a pace that are measured, besides the cost of the clock.
struct Parts {
  bool spins = false;        // the speed of the chain, and its entry
  bool reads_clock = false;  // the entry of a spin with clock
  bool is_random = false;    // the cost of a random duration, which needs all others
};

SpinPace measure_parts(const Parts& parts) {
  constexpr int kAttempts = 12;
  constexpr std::uint64_t kSteps = 50'000;
  constexpr std::uint64_t kFewSteps = 100;

  SpinPace pace;
  if (parts.spins) {
    pace.steps_per_ns =
        static_cast<double>(kSteps) / best_ns(kAttempts, 1, [] { multiply_chain(kSteps); });
    const double short_ns = best_ns(kAttempts, 100, [] { multiply_chain(kFewSteps); });
    pace.entry_ns = std::max(0.0, short_ns - static_cast<double>(kFewSteps) / pace.steps_per_ns);
  }
  if (parts.reads_clock) {
    const double clocked_ns =
        best_ns(kAttempts, 20, [&pace] { spin_by_clock(kClockedFrom, pace); });
    pace.clocked_entry_ns = clocked_ns - static_cast<double>(kClockedFrom.count());
  }
  pace.clock_ns = best_ns(kAttempts, 100, platform::now);
  if (parts.is_random) pace.random_ns = random_cost_ns(kAttempts, pace);
  return pace;
}

void sleep_for(Nanoseconds duration) {
  timespec left{.tv_sec = static_cast<time_t>(duration.count() / 1'000'000'000),
                .tv_nsec = static_cast<long>(duration.count() % 1'000'000'000)};
  while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) != 0) {
  }
}

void touch(CacheLine* lines, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    ++lines[i].words[0];
    asm volatile("" ::: "memory");  // the write happens now, not after the critical section
  }
}

}  // namespace

SpinPace SpinPace::measure() {
  return measure_parts({.spins = true, .reads_clock = true, .is_random = true});
}

SpinPace measure_pace_for(const Work& hold, const Work& think) {
  Parts parts;
  for (const Work* work : {&hold, &think}) {
    if (!work->computes()) continue;
    parts.spins = true;
    parts.is_random |= work->kind != Work::Kind::kSpin;
    // A random duration may be of any length.
    parts.reads_clock |= parts.is_random || work->duration >= kClockedFrom;
  }
  return measure_parts(parts);
}

void seed_random_work(std::uint64_t seed) {
  durations = RandomDurations(seed);
}

void spin_by_steps() {
  by_steps = true;
}

Worker::Worker(const Work& work, const SpinPace& pace, Role role)
    : work_(work),
      pace_(pace),
      role_(role),
      chain_steps_(steps_for(static_cast<double>(work.duration.count()), pace)) {}

void Worker::perform_some(CacheLine* scratch) const {
  switch (work_.kind) {
    case Work::Kind::kNone:
      return;
    case Work::Kind::kSpin:
      return work_.duration < kClockedFrom || by_steps ? multiply_chain(chain_steps_)
                                                       : spin_by_clock(work_.duration, pace_);
    case Work::Kind::kSleep:
      return sleep_for(work_.duration);
    case Work::Kind::kTouch:
      return touch(scratch, work_.lines);
    case Work::Kind::kRandomSpin:
    case Work::Kind::kMixedSpin:
      return spin_for(durations.draw_ns(work_), pace_, durations.owed_ns[static_cast<int>(role_)]);
    case Work::Kind::kRandomSleep:
    case Work::Kind::kMixedSleep:
      return sleep_for(Nanoseconds{std::llround(durations.draw_ns(work_))});
  }
}

}  // namespace lockbench
