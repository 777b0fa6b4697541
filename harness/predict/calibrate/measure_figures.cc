// SPDX-License-Identifier: Apache-2.0

#include "harness/predict/calibrate/measure_figures.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/base/median.h"
#include "harness/predict/calibrate/access_loops.h"
#include "harness/predict/calibrate/kernel_loops.h"
#include "primitives/platform/barrier.h"
#include "primitives/platform/futex.h"

namespace lockbench::calibration {
namespace {

template <class Measure>
double median_of(std::uint32_t times, Measure measure) {
  std::vector<double> values;
  values.reserve(times);
  for (std::uint32_t i = 0; i < times; ++i) values.push_back(measure());
  return median(std::move(values));
}

// Runs the loops and reports which.
class Measuring {
 public:
  Measuring(Runner& runner, const Cores& cores, const Effort& effort, const Report& report)
      : runner_(runner), cores_(cores), effort_(effort), report_(report) {}

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
    constexpr std::size_t kBetweenCores = 5;
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

  // The medians of both figures of a loop that measures two.
  template <class Times, class Measure>
  std::pair<double, double> measure_both(std::string_view what, double Times::*one,
                                         double Times::*other, Measure once) {
    std::vector<double> others;
    const double median_of_one = measure(what, [&] {
      const Times times = once();
      others.push_back(times.*other);
      return times.*one;
    });
    return {median_of_one, median(std::move(others))};
  }

  template <class Action>
  double action(std::string_view what, std::uint32_t calls, Action action) {
    return measure(what, [&] { return alone(runner_, first(), calls, action); });
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
    figures_.memory_load =
        memory_load(runner_, first(), effort_.memory_lines, effort_.repetitions, effort_.calls);
  }

  void kernel() {
    platform::FutexWord word{0};
    // The shortest: if other processes wait for the processor, a yield lasts as long as they run.
    report_(done_++, count(), "yield");
    figures_.yield = std::numeric_limits<double>::infinity();
    for (std::uint32_t i = 0; i < effort_.repetitions; ++i) {
      const double ns = alone(runner_, first(), 3 * kUnrolled, [] { platform::yield(); });
      figures_.yield = std::min(figures_.yield, ns);
    }
    figures_.futex_call =
        action("futex", effort_.calls / 20, [&] { platform::futex_wake(word, 1); });
    figures_.yield_switch = measure(
        "context switch", [&] { return turn_ns(runner_, first(), 4 * effort_.sleeps, true); });
    figures_.sleep_switch =
        measure("sleep", [&] { return sleep_switch(runner_, first(), effort_.sleeps); });
    report_(done_++, count(), "slice");
    figures_.slice = turn_ns(runner_, first(), effort_.slices, false);
  }

  void between_cores() {
    const int other = cores_[1].front();
    std::tie(figures_.foreign_read, figures_.foreign_write) = measure_both(
        "lines of another core", &ForeignTimes::read, &ForeignTimes::write,
        [&] { return foreign_times(runner_, first(), other, effort_.foreign_passes); });
    figures_.step_alone = measure("steps on pairs of lines", [&] {
      return step_on_pairs(runner_, first(), {}, effort_.calls);
    });
    figures_.step_beside_other = measure("steps beside another core", [&] {
      return step_on_pairs(runner_, first(), {other}, effort_.calls);
    });
    std::tie(figures_.wakeup, figures_.wake_call) =
        measure_both("wake-up", &WakeTimes::wakeup, &WakeTimes::call,
                     [&] { return wake_times(runner_, first(), other, effort_.sleeps); });
    if (!platform::has_heavy_barrier()) return void(++done_);
    std::tie(figures_.barrier_call, figures_.barrier_delay) =
        measure_both("membarrier", &BarrierTimes::call, &BarrierTimes::delay,
                     [&] { return barrier_times(runner_, first(), other, effort_.barriers); });
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
                              [&] { return loads_beside_sibling(runner_, core, effort_.calls); }));
    }
    if (siblings.empty()) return;
    figures_.sibling_handover = median(siblings);
    figures_.load_beside_sibling = median(loads);
  }

  double transfer(int a, int b) {
    return measure("transfers of a line",
                   [&] { return handover(runner_, a, b, effort_.handovers); });
  }

  Runner& runner_;
  const Cores& cores_;
  const Effort& effort_;
  const Report& report_;
  MeasuredFigures figures_;
  std::size_t done_ = 0;
};

}  // namespace

MeasuredFigures measure_figures(Runner& runner, const Cores& cores, const Effort& effort,
                                const Report& report) {
  return Measuring(runner, cores, effort, report).all();
}

}  // namespace lockbench::calibration
