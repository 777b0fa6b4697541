// SPDX-License-Identifier: Apache-2.0

// StressPlan: which engine tests which lock, and for how long. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/stress/command/added_engine.h"
#include "harness/stress/command/listing.h"
#include "harness/stress/report.h"

namespace lockbench {

// The engines that come with lockbench. A lock need not be for all of them.
inline constexpr const char* kEngines[] = {"sim", "real", "proc"};

struct StressOptions {
  std::vector<std::string> locks;    // none: all
  std::vector<std::string> engines;  // none: all that have the locks
  std::chrono::nanoseconds budget = std::chrono::seconds(60);
  bool self_test = false;
  bool list = false;
  bool json = false;
  std::optional<std::filesystem::path> program_file;  // read order.program from it
  std::optional<std::filesystem::path> page;          // write the reports there, too
  stress::Order order;  // the options for each engine, except lock and budget
  std::vector<AddedEngine> added_engines;
};

// The engines that the user named, or else those that know every option that was given; empty: all.
// Fails with InvalidArgument if none of the engines named knows an option.
absl::StatusOr<std::vector<std::string>> engines_for(const StressOptions& options);

// One test of one lock by one engine.
struct TestJob {
  std::string engine;
  std::string program;
  Listed lock;
  std::chrono::nanoseconds budget;
  std::string plugin = {};  // the plug-in that contains the lock; empty: the engine
};

// Divides the budget among the engines, and each engine's share among its locks. If no locks or
// engines are named, all are used. Fails with InvalidArgument if a lock or an engine is unknown, or
// if there is nothing to do.
absl::StatusOr<std::vector<TestJob>> plan_stress(const StressOptions& options,
                                                 const std::vector<EngineListing>& engines);

// The budget of job `position` if the time `left` remains for it and the jobs after it. It gets the
// same share of that time as in the plan. Time that a job leaves unused or exceeds is therefore
// shared by the later jobs.
std::chrono::nanoseconds budget_now(const std::vector<TestJob>& jobs, std::size_t position,
                                    std::chrono::nanoseconds left);

// The same for an exhaustive exploration, which ends when it has explored everything: at least half
// of the time that is left. Most locks need little of it, and a few need much.
std::chrono::nanoseconds budget_if_exhaustive(const std::vector<TestJob>& jobs,
                                              std::size_t position, std::chrono::nanoseconds left);

// Makes a clean report inconclusive, and says why, if its job had less than a tenth of the share
// that was planned for it, because jobs before it took longer than theirs.
void demand_share(std::chrono::nanoseconds planned, std::chrono::nanoseconds given,
                  stress::Report& report);

// Adds to a clean report of a lock what else the same engine has of that lock, and no job tests
// (`keyed:barriers=none` of `keyed`, `striped:lock=mine` of `global:lock=mine`): the verdict says
// nothing of these.
void name_untested(const std::vector<EngineListing>& engines, const std::vector<TestJob>& jobs,
                   stress::Report& report);

// True if the order is about a lock in general. A test of one program, schedule, mode or fault says
// little about it.
bool tests_whole_lock(const stress::Order& order);

// How long the engines test known broken locks before they test anything else: a tenth of the
// budget; 0 if the user requested something specific, or if the budget is too small.
std::chrono::nanoseconds self_test_share(const StressOptions& options);

// True if a self-test that has used `spent` for `rounds` rounds has time for another one.
bool has_time_for_another_round(std::chrono::nanoseconds spent, std::uint64_t rounds,
                                std::chrono::nanoseconds budget);

// One job for each broken lock and each control of each engine.
absl::StatusOr<std::vector<TestJob>> plan_self_test(const StressOptions& options,
                                                    const std::vector<EngineListing>& engines);

// The result of one job in a self-test.
enum class Kill {
  kAsExpected,
  kPassed,
  kUnseen,
  kMissed,
  kWrongOracle,
  kFalseFailure,
  kEngineFailed
};

Kill kill_result(const Listed& lock, const stress::Report& report);
bool passes(Kill kill);

}  // namespace lockbench
