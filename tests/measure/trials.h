// SPDX-License-Identifier: Apache-2.0

// Trials to run in the process of the test, and an end of that process for those that leave threads
// behind.
#pragma once

#include <cstdio>
#include <memory>
#include <unistd.h>
#include <utility>

#include <gtest/gtest.h>

#include "harness/bench/measure/run_trial.h"
#include "harness/bench/measure/subject.h"
#include "harness/bench/plan/cell.h"

namespace lockbench {

// Long enough for the most loaded machine, and shorter than a test's own limit.
inline constexpr Nanoseconds kPatient = std::chrono::seconds(60);

inline void expect_proven(const Sample& sample) {
  EXPECT_EQ(sample.outcome, Outcome::kOk) << sample.reason;
  EXPECT_EQ(sample.lost_updates, 0u);
  EXPECT_EQ(sample.violations, 0u);
}

inline Work sleep_for(Nanoseconds duration) {
  return {.kind = Work::Kind::kSleep, .duration = duration};
}

inline Trial fixed_trial(std::uint32_t threads, std::uint64_t keys, std::uint64_t operations) {
  return {.seed = 1,
          .cell = {.mode = Mode::kFixed,
                   .threads = threads,
                   .keys = keys,
                   .operations = operations,
                   .sample_every = 1,
                   .stall_limit = kPatient,
                   .time_limit = kPatient}};
}

inline Trial timed_trial(std::uint32_t threads, std::uint64_t keys) {
  return {.seed = 1,
          .cell = {.threads = threads,
                   .keys = keys,
                   .warmup = std::chrono::milliseconds(5),
                   .window = std::chrono::milliseconds(20),
                   .sample_every = 1,
                   .stall_limit = kPatient,
                   .time_limit = kPatient}};
}

// Runs `trial` of the workload over the primitive that is made from `arguments`.
template <class P, class Workload, class... Arguments>
Sample run_with(const Trial& trial, const char* scenario, Arguments... arguments) {
  const Cell& cell = trial.cell;
  const WorkloadSettings settings{.threads = cell.threads,
                                  .keys = cell.keys,
                                  .key_distribution = cell.key_distribution,
                                  .hold = cell.hold,
                                  .timeout = cell.timeout,
                                  .operations = cell.mode == Mode::kFixed ? cell.operations : 0,
                                  .scenario = scenario,
                                  .seed = trial.seed};
  return run_trial(trial, [&] {
    return std::make_unique<SubjectOf<P, Workload>>(trial, settings,
                                                    std::make_unique<P>(arguments...));
  });
}

template <class P, template <class, class> class Workload, class... Arguments>
Sample run(const Trial& trial, Arguments... arguments) {
  return run_with<P, Workload<P, std::uint64_t>>(trial, "", arguments...);
}

// Prints the reason and ends the process with the number of the outcome.
[[noreturn]] inline void leave_with(const Sample& sample) {
  std::fputs(sample.reason.c_str(), stderr);
  _exit(static_cast<int>(sample.outcome));
}

inline ::testing::ExitedWithCode ended_as(Outcome outcome) {
  return ::testing::ExitedWithCode(static_cast<int>(outcome));
}

}  // namespace lockbench
