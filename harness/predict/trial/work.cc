// SPDX-License-Identifier: Apache-2.0

// Work of simulated threads (workloads/work.h): computing takes virtual time, and touched lines are
// accessed.

#include "workloads/work.h"

#include "harness/predict/machine/simulation.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/simulated/hooks.h"
#include "primitives/platform/thread.h"
#include "workloads/exponential.h"
#include "workloads/spin_pace.h"

namespace lockbench {
namespace {

void touch(CacheLine* lines, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint64_t* const word = lines[i].words;
    constexpr auto kRelaxed = std::memory_order_relaxed;
    const std::uint64_t value = platform::simulated::load(word, sizeof *word, kRelaxed);
    platform::simulated::store(word, sizeof *word, value + 1, kRelaxed);
  }
}

Exponential& factors() {
  static Exponential of_all(0);  // simulated threads, which take turns
  return of_all;
}

}  // namespace

void seed_random_work(std::uint64_t seed) {
  factors() = Exponential(seed);
}

// Simulated work takes longer on a slow core by itself.
void spin_by_steps() {}

SpinPace SpinPace::measure() {
  return {};
}

SpinPace measure_pace_for(const Work&, const Work&) {
  return {};
}

Worker::Worker(const Work& work, const SpinPace& pace, Role role)
    : work_(work), pace_(pace), role_(role), chain_steps_(0) {}

void Worker::perform_some(CacheLine* scratch) const {
  machine::Simulation* const simulation = machine::Simulation::current();
  if (simulation == nullptr) return;
  const bool random =
      work_.kind == Work::Kind::kRandomSpin || work_.kind == Work::Kind::kRandomSleep;
  const double factor = random ? factors().next() : 1;
  const auto ns =
      work_.mix.empty()
          ? static_cast<std::int64_t>(static_cast<double>(work_.duration.count()) * factor)
          : static_cast<std::int64_t>(factors().next_of(work_.mix).count());
  if (work_.computes()) return simulation->work(ns * machine::kPerNanosecond);
  if (work_.sleeps()) return platform::sleep_until(platform::now() + Nanoseconds{ns});
  touch(scratch, work_.lines);
}

}  // namespace lockbench
