// SPDX-License-Identifier: Apache-2.0

// Work of simulated threads (workloads/work.h): computing takes virtual time, and touched lines are
// accessed.

#include "workloads/work.h"

#include "harness/machine/simulation.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/simulated/hooks.h"
#include "primitives/platform/thread.h"

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

}  // namespace

SpinPace SpinPace::measure() {
  return {};
}

Worker::Worker(const Work& work, const SpinPace& pace)
    : work_(work), pace_(pace), chain_steps_(0) {}

void Worker::perform_some(CacheLine* scratch) const {
  machine::Simulation* const simulation = machine::Simulation::current();
  if (simulation == nullptr) return;
  switch (work_.kind) {
    case Work::Kind::kNone:
      return;
    case Work::Kind::kSpin:
      return simulation->work(work_.duration.count() * machine::kPerNanosecond);
    case Work::Kind::kSleep:
      return platform::sleep_until(platform::now() + work_.duration);
    case Work::Kind::kTouch:
      return touch(scratch, work_.lines);
  }
}

}  // namespace lockbench
