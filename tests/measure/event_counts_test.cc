// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/measure/event_counts.h"

#include <cerrno>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/bench/measure/conclude.h"

namespace lockbench {
namespace {

using internal::joules_between;
using internal::reason_without_hardware_events;
using internal::scaled_count;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ScaledCount, StandsForTheTimeInWhichItWasNotCounted) {
  EXPECT_EQ(scaled_count(100, 10, 10), 100.0);
  EXPECT_EQ(scaled_count(100, 10, 5), 200.0);
  EXPECT_EQ(scaled_count(0, 0, 0), 0.0) << "the task did not run";
  EXPECT_EQ(scaled_count(0, 10, 0), std::nullopt) << "other events had the counters";
}

TEST(JoulesBetween, AddsPackagesAndWrapsAround) {
  const std::vector<PackageEnergy> before{{.used_uj = 100, .range_uj = 1000},
                                          {.used_uj = 900, .range_uj = 1000}};
  const std::vector<PackageEnergy> after{{.used_uj = 300, .range_uj = 1000},
                                         {.used_uj = 100, .range_uj = 1000}};
  EXPECT_DOUBLE_EQ(joules_between(before, after).value(), 400e-6);
  EXPECT_EQ(joules_between({}, {}), std::nullopt);
  EXPECT_EQ(joules_between(before, {}), std::nullopt) << "the permission was withdrawn";
}

TEST(ReasonWithoutHardwareEvents, SaysWhatToDo) {
  EXPECT_THAT(reason_without_hardware_events(ENOENT, 2), HasSubstr("virtual machines"));
  EXPECT_THAT(reason_without_hardware_events(EACCES, 4), HasSubstr("perf_event_paranoid is 4"));
  EXPECT_THAT(reason_without_hardware_events(EPERM, {}), HasSubstr("is unknown"));
  EXPECT_THAT(reason_without_hardware_events(EMFILE, 2), HasSubstr("ulimit -n"));
}

// Hardware events are counted, or the reason is given: nothing is silently absent.
TEST(EventCounter, CountsThisThreadOrSaysWhyNot) {
  const pid_t self[] = {gettid()};
  EventCounter counter(self);
  counter.start();
  volatile unsigned sum = 0;
  for (unsigned i = 0; i < 100'000; ++i) sum = sum + i;
  counter.stop();
  const EventCounts counts = counter.counts();
  if (!counts.cycles) {
    EXPECT_THAT(counts.missing, HasSubstr("no hardware events"));
    return;
  }
  EXPECT_THAT(counts.missing, AnyOf(IsEmpty(), HasSubstr("user mode")));
  EXPECT_GT(counts.instructions.value_or(0), 100'000);
  const double after = *counts.instructions;
  for (unsigned i = 0; i < 100'000; ++i) sum = sum + i;
  EXPECT_EQ(counter.counts().instructions, after) << "it counts after stop()";
}

// One worker of two was read, so its counts stand for half of the work.
TEST(AddEvents, DividesByTheOperationsOfTheWorkersThatWereRead) {
  Sample sample;
  sample.operations = 100;
  const Usage used{.voluntary_switches = 30, .involuntary_switches = 20, .page_faults = 10};
  add_events({.cycles = 1000, .instructions = 500, .energy_j = 2.0, .missing = "why"}, used, 2, 1,
             sample);
  EXPECT_EQ(sample.cycles_per_operation, 20.0);
  EXPECT_EQ(sample.instructions_per_operation, 10.0);
  EXPECT_EQ(sample.cache_misses_per_operation, std::nullopt);
  EXPECT_EQ(sample.switches_per_operation, 0.5);
  EXPECT_EQ(sample.page_faults_per_operation, 0.1);
  EXPECT_EQ(sample.energy_j_per_operation, 0.02);
  EXPECT_EQ(sample.events_missing, "why");
}

TEST(AddEvents, WithoutOperationsThereIsNoRatio) {
  Sample sample;
  sample.operations = 0;
  add_events({.cycles = 1000}, {}, 1, 1, sample);
  EXPECT_EQ(sample.cycles_per_operation, std::nullopt);
  EXPECT_EQ(sample.switches_per_operation, std::nullopt);
}

}  // namespace
}  // namespace lockbench
