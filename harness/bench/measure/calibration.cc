// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/measure/calibration.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <thread>
#include <utility>

#include "harness/bench/measure/pinning.h"
#include "harness/bench/measure/run_trial.h"
#include "harness/kernel/processors.h"
#include "primitives/no_lock.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/layout.h"
#include "primitives/platform/spin.h"
#include "workloads/counter.h"

namespace lockbench {
namespace {

// The median of several measurements, so that a single disturbed one has no effect.
double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

template <class Measure>
double median_of(int times, Measure measure) {
  std::vector<double> values;
  for (int i = 0; i < times; ++i) values.push_back(measure());
  return median_of(std::move(values));
}

// Mean time of a call in ns, over many calls in sequence.
template <class Action>
double ns_per_call(int calls, Action action) {
  const platform::Time start = platform::now();
  for (int i = 0; i < calls; ++i) action();
  return static_cast<double>((platform::now() - start).count()) / calls;
}

// The fewest accesses of a lock: an exchange and a store.
class LeastLock {
 public:
  static constexpr Promises kPromises{.one_lock = true};

  class Handle {
   public:
    explicit Handle(platform::Atomic<std::uint32_t>& word) : word_(word) {}

    void lock() {
      while (!try_lock()) platform::pause();
    }
    // (1) acquire: synchronizes with (2).
    bool try_lock() { return word_.exchange(1, std::memory_order_acquire) == 0; }
    // (2) release: publishes the critical section to (1).
    void unlock() { word_.store(0, std::memory_order_release); }

   private:
    platform::Atomic<std::uint32_t>& word_;
  };

  Handle handle(std::uint64_t) { return Handle(word_); }
  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this; }

 private:
  alignas(platform::kCacheLine) platform::Atomic<std::uint32_t> word_{0};
};

template <class Lock>
std::optional<double> operation_once_ns(std::uint32_t sample_every,
                                        std::chrono::milliseconds window) {
  using Floor = SubjectOf<Lock, Counter<Lock, std::uint64_t>>;
  Trial trial;
  trial.seed = 1;
  trial.cell.warmup = std::chrono::milliseconds(2);
  trial.cell.window = window;
  trial.cell.sample_every = sample_every;
  trial.cell.stall_limit = std::chrono::seconds(10);
  const Sample sample = run_trial(trial, [&trial] {
    return std::make_unique<Floor>(trial, WorkloadSettings{}, std::make_unique<Lock>());
  });
  if (sample.operations.value_or(0) == 0) return std::nullopt;
  return *sample.window_s * 1e9 / static_cast<double>(*sample.operations);
}

std::optional<double> floor_ns(std::uint32_t sample_every) {
  std::vector<double> values;
  for (int i = 0; i < 3; ++i) {
    const std::optional<double> value =
        operation_once_ns<NoLock>(sample_every, std::chrono::milliseconds(10));
    if (value) values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  return median_of(std::move(values));
}

HoldAccuracy accuracy_of(Nanoseconds asked, const SpinPace& pace) {
  const Worker worker({.kind = Work::Kind::kSpin, .duration = asked}, pace);
  const int calls = static_cast<int>(
      std::max<std::int64_t>(1, std::chrono::nanoseconds(std::chrono::milliseconds(1)) / asked));
  return {.asked = asked, .got_ns = median_of(9, [&] {
                            return ns_per_call(calls, [&worker] { worker.perform(nullptr); });
                          })};
}

// 0 if the kernel does not bind the thread.
double steps_per_ns_on(int processor) {
  double steps = 0;
  std::jthread([&] {
    if (bind_to_processors(0, {processor}) != 0) return;
    steps = SpinPace::measure().steps_per_ns;
  }).join();
  return steps;
}

}  // namespace

std::optional<std::vector<CoreSpeed>> speeds_of_cores() {
  const std::vector<Processor> processors = processors_here();
  std::vector<CoreSpeed> speeds;
  double fastest = 0;
  for (const std::string& kind : kinds_among(processors)) {
    const auto one = std::find_if(processors.begin(), processors.end(),
                                  [&](const Processor& p) { return p.kind == kind; });
    const double steps = steps_per_ns_on(one->number);
    if (steps == 0) return std::nullopt;
    if (speeds.empty()) fastest = steps;
    speeds.push_back({.kind = kind, .speed = steps / fastest});
  }
  if (speeds.empty()) return std::nullopt;
  return speeds;
}

Calibration calibrate() {
  Calibration calibration;
  calibration.clock_ns = median_of(9, [] { return ns_per_call(1000, platform::now); });
  calibration.floor_untimed_ns = floor_ns(0);
  calibration.floor_sampled_ns = floor_ns(64);
  calibration.floor_timed_ns = floor_ns(1);
  const SpinPace pace = SpinPace::measure();
  for (const int ns : {100, 1'000, 10'000, 100'000, 1'000'000}) {
    calibration.holds.push_back(accuracy_of(Nanoseconds(ns), pace));
  }
  calibration.core_speeds = speeds_of_cores();
  return calibration;
}

std::optional<double> locked_operation_ns() {
  // Windows are shorter than the slices of other processes, so these disturb few of them. The
  // shortest would be of a processor that was faster for a moment than when accesses were measured.
  std::vector<double> values;
  for (int i = 0; i < 31; ++i) {
    const auto value = operation_once_ns<LeastLock>(0, std::chrono::milliseconds(2));
    if (value) values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  return median_of(std::move(values));
}

}  // namespace lockbench
