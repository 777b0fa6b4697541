// SPDX-License-Identifier: Apache-2.0

#include "harness/calibrate/loops.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <limits>
#include <new>
#include <utility>

#include "harness/plan/median.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/barrier.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/futex.h"
#include "primitives/platform/huge_memory.h"
#include "primitives/platform/layout.h"
#include "primitives/platform/spin.h"

// The order is relaxed wherever a word guards no other memory. Where two threads take turns by a
// word, acquire and release hand over what was written before.

namespace lockbench::calibration {
namespace {

using platform::Time;

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;

// Long enough for a thread to fall asleep, and short as the sleeps in a lock are.
constexpr platform::Duration kUntilAsleep = std::chrono::microseconds(20);

// A word with a cache line of its own.
template <class T>
struct alignas(platform::kCacheLine) Word {
  platform::Atomic<T> value{0};

  T load() const { return value.load(kRelaxed); }
  void store(T to) { value.store(to, kRelaxed); }
};

using Number = Word<std::uint64_t>;

double ns_between(Time from, Time to) {
  return static_cast<double>(std::chrono::nanoseconds(to - from).count());
}

template <class Measure>
double median_of(std::uint32_t times, Measure measure) {
  std::vector<double> values;
  for (std::uint32_t i = 0; i < times; ++i) values.push_back(measure());
  return median(std::move(values));
}

// The value below which that share of the values lies; 0 if there are none.
double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto place = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(place),
                   values.end());
  return values[place];
}

// Of times that other processes make longer by whole slices, and never shorter.
double undisturbed(std::vector<double> values) {
  return quantile(std::move(values), 0.25);
}

// Lets all threads of a loop begin together. They may share a processor.
class Start {
 public:
  explicit Start(std::uint32_t threads) : missing_{threads} {}

  void arrive() {
    missing_.value.fetch_sub(1, std::memory_order_acq_rel);
    while (missing_.value.load(kAcquire) != 0) platform::yield();
  }

 private:
  Word<std::uint32_t> missing_;
};

// ---- one thread

constexpr std::uint32_t kUnrolled = 16;

// Mean time of an action in a sequence. It is done once before, so that its lines are there.
template <class Action>
double ns_per_call(std::uint32_t calls, const Action& action) {
  action();
  const Time from = platform::now();
  for (std::uint32_t i = 0; i < calls; i += kUnrolled) {
#pragma GCC unroll 16
    for (std::uint32_t j = 0; j < kUnrolled; ++j) action();
  }
  return ns_between(from, platform::now()) / ((calls + kUnrolled - 1) / kUnrolled * kUnrolled);
}

template <class Action>
double alone(Place& place, int processor, std::uint32_t calls, const Action& action) {
  double ns = 0;
  place.run({{processor, [&] { ns = ns_per_call(calls, action); }}});
  return ns;
}

double loads_beside_sibling(Place& place, const std::vector<int>& core, std::uint32_t calls) {
  Number here;
  Number there;
  Number over;
  Start start(2);
  double ns = 0;
  place.run({{core[0],
              [&] {
                start.arrive();
                ns = ns_per_call(calls, [&] { here.load(); });
                over.store(1);
              }},
             {core[1], [&] {
                start.arrive();
                while (over.load() == 0) {
                  for (std::uint32_t i = 0; i < kUnrolled; ++i) there.load();
                }
              }}});
  return ns;
}

// Each line of a block leads to the next one, in an order that no prefetcher follows.
double memory_load(Place& place, int processor, const Effort& effort) {
  const std::size_t lines = effort.memory_lines;
  const platform::HugeMemory<Number> block(lines);
  // A generator of period `lines` (T. Hull, A. Dobell, "Random Number Generators", 1962): each line
  // occurs once.
  for (std::size_t line = 0; line < lines; ++line) {
    new (&block[line]) Number{(line * 0x5851F42D4C957F2D + 0x14057B7EF767814F) % lines};
  }
  std::vector<double> values;
  place.run({{processor, [&] {
                std::uint64_t line = 0;
                for (std::uint32_t i = 0; i < effort.repetitions; ++i) {
                  const Time from = platform::now();
                  for (std::uint32_t j = 0; j < effort.calls; ++j) line = block[line].load();
                  values.push_back(ns_between(from, platform::now()) / effort.calls);
                }
              }}});
  return median(std::move(values));
}

// ---- two threads on two processors

double handover(Place& place, int a, int b, std::uint32_t rounds) {
  Number turn;
  Start start(2);
  double ns = 0;
  const auto change = [&turn](std::uint64_t from, std::uint64_t to) {
    std::uint64_t expected = from;
    while (!turn.value.compare_exchange_strong(expected, to, std::memory_order_acq_rel, kRelaxed)) {
      expected = from;
    }
  };
  place.run({{a,
              [&] {
                start.arrive();
                const std::uint32_t warm_up = rounds / 10 + 1;
                for (std::uint32_t i = 0; i < warm_up; ++i) change(0, 1);
                const Time from = platform::now();
                for (std::uint32_t i = 0; i < rounds; ++i) change(0, 1);
                ns = ns_between(from, platform::now()) / (2.0 * rounds);
              }},
             {b, [&] {
                start.arrive();
                for (std::uint32_t i = 0; i < rounds + rounds / 10 + 1; ++i) change(1, 0);
              }}});
  return ns;
}

struct WakeTimes {
  double call = 0;
  double wakeup = 0;
};

// `a` wakes `b`, which sleeps on another processor.
WakeTimes wake_times(Place& place, int a, int b, std::uint32_t rounds) {
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
  place.run({{a, waker}, {b, sleeper}});
  return {.call = undisturbed(std::move(calls)), .wakeup = undisturbed(std::move(wakeups))};
}

struct BarrierTimes {
  double call = 0;
  double delay = 0;  // of the thread that is interrupted
};

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

// `a` runs `barriers` heavy barriers while `b` looks at the clock, which shows when it was
// interrupted.
BarrierTimes barrier_times(Place& place, int a, int b, std::uint32_t barriers) {
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
  place.run({{a, caller}, {b, interrupted}});
  // While another process has the processor of `b`, nothing is interrupted and the call is cheap:
  // not the shortest calls count here.
  return {.call = quantile(std::move(calls), 0.75),
          .delay = gaps.empty() ? 0 : std::max(0.0, median(std::move(gaps)) - look_ns)};
}

// ---- two threads on one processor

// Which of two threads of a processor ran last. No order is needed: one runs at a time.
class Turns {
 public:
  // Whether the other one ran since this thread's last call.
  bool taken_over(std::uint64_t self) {
    if (last_.load() == self) return false;
    last_.store(self);
    return true;
  }

 private:
  Number last_;
};

// From one change of the threads to the next. `yields`: they call yield all the time; else they
// compute, and the kernel ends their slices.
double turn_ns(Place& place, int processor, std::uint32_t changes, bool yields) {
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
  place.run({{processor, [&] { body(1); }}, {processor, [&] { body(2); }}});
  std::vector<Time>& all = began[0];
  all.insert(all.end(), began[1].begin(), began[1].end());
  std::sort(all.begin(), all.end());
  std::vector<double> lengths;
  for (std::size_t i = 1; i < all.size(); ++i) lengths.push_back(ns_between(all[i - 1], all[i]));
  return undisturbed(std::move(lengths));
}

// One thread sleeps, and the other, which has yielded before, runs.
double sleep_switch(Place& place, int processor, std::uint32_t rounds) {
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
  place.run({{processor, sleeper}, {processor, other}});
  return undisturbed(std::move(lengths));
}

// ---- all of them

// Runs the loops and reports which.
class Measuring {
 public:
  Measuring(Place& place, const Cores& cores, const Effort& effort, const Report& report)
      : place_(place), cores_(cores), effort_(effort), report_(report) {}

  MeasuredFigures all() {
    accesses();
    kernel();
    if (cores_.size() > 1) between_cores();
    transfers();
    report_(done_, count(), "");
    return figures_;
  }

 private:
  int first() const { return cores_.front().front(); }

  std::size_t count() const {
    constexpr std::size_t kOfOneThread = 8;
    constexpr std::size_t kOfOneProcessor = 3;
    constexpr std::size_t kBetweenCores = 2;
    return kOfOneThread + kOfOneProcessor + (cores_.size() > 1 ? kBetweenCores : 0) +
           cores_.size() * (cores_.size() - 1) / 2 + 2 * cores_with_siblings();
  }

  std::size_t cores_with_siblings() const {
    return static_cast<std::size_t>(std::count_if(
        cores_.begin(), cores_.end(), [](const auto& core) { return core.size() > 1; }));
  }

  template <class Measure>
  double measure(std::string_view what, Measure once) {
    report_(done_++, count(), what);
    return median_of(effort_.repetitions, once);
  }

  template <class Action>
  double action(std::string_view what, std::uint32_t calls, Action action) {
    return measure(what, [&] { return alone(place_, first(), calls, action); });
  }

  void accesses() {
    Number word;
    const std::uint32_t calls = effort_.calls;
    figures_.load = action("load", calls, [&] { word.load(); });
    figures_.store = action("store", calls, [&] { word.store(1); });
    figures_.exchange = action("exchange", calls, [&] { word.value.exchange(1, kAcquire); });
    figures_.pause = action("pause", calls / 10, [] { platform::pause(); });
    figures_.clock = action("clock", calls / 10, [] { (void)platform::now(); });
    report_(done_++, count(), "memory");
    figures_.memory_load = memory_load(place_, first(), effort_);
  }

  void kernel() {
    platform::FutexWord word{0};
    // The shortest: if other processes wait for the processor, a yield lasts as long as they run.
    report_(done_++, count(), "yield");
    figures_.yield = std::numeric_limits<double>::infinity();
    for (std::uint32_t i = 0; i < effort_.repetitions; ++i) {
      const double ns = alone(place_, first(), 3 * kUnrolled, [] { platform::yield(); });
      figures_.yield = std::min(figures_.yield, ns);
    }
    figures_.futex_call =
        action("futex", effort_.calls / 20, [&] { platform::futex_wake(word, 1); });
    figures_.yield_switch = measure(
        "context switch", [&] { return turn_ns(place_, first(), 4 * effort_.sleeps, true); });
    figures_.sleep_switch =
        measure("sleep", [&] { return sleep_switch(place_, first(), effort_.sleeps); });
    report_(done_++, count(), "slice");
    figures_.slice = turn_ns(place_, first(), effort_.slices, false);
  }

  void between_cores() {
    const int other = cores_[1].front();
    std::vector<double> calls;
    figures_.wakeup = measure("wake-up", [&] {
      const WakeTimes times = wake_times(place_, first(), other, effort_.sleeps);
      calls.push_back(times.call);
      return times.wakeup;
    });
    figures_.wake_call = median(calls);
    if (!platform::has_heavy_barrier()) return void(++done_);
    std::vector<double> delays;
    figures_.barrier_call = measure("membarrier", [&] {
      const BarrierTimes times = barrier_times(place_, first(), other, effort_.barriers);
      delays.push_back(times.delay);
      return times.call;
    });
    figures_.barrier_delay = median(delays);
  }

  void transfers() {
    const std::size_t size = cores_.size();
    figures_.handovers.assign(size * size, 0);
    for (std::size_t a = 0; a < size; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const double ns = transfer(cores_[b].front(), cores_[a].front());
        figures_.handovers[a * size + b] = figures_.handovers[b * size + a] = ns;
      }
    }
    std::vector<double> siblings;
    std::vector<double> loads;
    for (const std::vector<int>& core : cores_) {
      if (core.size() < 2) continue;
      siblings.push_back(transfer(core[0], core[1]));
      loads.push_back(measure("load beside a sibling",
                              [&] { return loads_beside_sibling(place_, core, effort_.calls); }));
    }
    if (siblings.empty()) return;
    figures_.sibling_handover = median(siblings);
    figures_.load_beside_sibling = median(loads);
  }

  double transfer(int a, int b) {
    return measure("transfers of a line",
                   [&] { return handover(place_, a, b, effort_.handovers); });
  }

  Place& place_;
  const Cores& cores_;
  const Effort& effort_;
  const Report& report_;
  MeasuredFigures figures_;
  std::size_t done_ = 0;
};

}  // namespace

MeasuredFigures measure_figures(Place& place, const Cores& cores, const Effort& effort,
                                const Report& report) {
  return Measuring(place, cores, effort, report).all();
}

}  // namespace lockbench::calibration
