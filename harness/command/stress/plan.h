// SPDX-License-Identifier: Apache-2.0

// StressPlan: which engine looks into which lock, and for how long. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/stress/report.h"

namespace lockbench {

// A lock, as an engine lists it.
struct Listed {
  std::string name;
  std::string summary;
  std::vector<std::string>
      expected_oracles;  // oracles; known to be broken: one of them must report it
  std::string unseen;    // known to be broken, and why this engine cannot see it
};

// An engine: the name that users type, and its program.
struct EngineListing {
  std::string engine;
  std::string program;
  std::vector<Listed> locks;
  std::string plugin = {};  // whose locks these are; empty: the engine's own
};

// What an engine program prints when it is asked to `list`. Lines of less than four fields are left
// out.
std::vector<Listed> listed_from(std::string_view text);

struct StressOptions {
  std::vector<std::string> locks;    // none: all
  std::vector<std::string> engines;  // none: all that know them
  std::chrono::nanoseconds budget = std::chrono::seconds(60);
  bool self_test = false;
  bool list = false;
  bool json = false;
  std::optional<std::filesystem::path> page;  // write the reports there, too
  stress::Order order;                        // what goes to each engine, but for lock and budget
};

// One order to one engine.
struct TestJob {
  std::string engine;
  std::string program;
  Listed lock;
  std::chrono::nanoseconds budget;
  std::string plugin = {};  // where the lock comes from; empty: the engine itself
};

// Divides the budget among the engines, and each engine's share among its locks; all that are
// not named go in. Fails with InvalidArgument when a lock or an engine is unknown, or when
// nothing is left to do.
absl::StatusOr<std::vector<TestJob>> plan_stress(const StressOptions& options,
                                                 const std::vector<EngineListing>& engines);

// `shipped`, and of `broken` the locks that `names` has and `shipped` has not.
std::vector<EngineListing> with_named(std::vector<EngineListing> shipped,
                                      const std::vector<EngineListing>& broken,
                                      const std::vector<std::string>& names);

// What job `position` gets when so much time is left for it and those after it: as much of that
// as the plan gave it of theirs, so that what one leaves over, or takes too much, is the others'.
std::chrono::nanoseconds budget_now(const std::vector<TestJob>& jobs, std::size_t position,
                                    std::chrono::nanoseconds left);

// How long known broken locks are put before the engines before anything else is: a tenth of the
// budget; nothing where the user asks for one thing, or there is no time.
std::chrono::nanoseconds self_test_share(const StressOptions& options);

// Whether a self-test that took so long for so many rounds has time for another.
bool has_time_for_another_round(std::chrono::nanoseconds spent, std::uint64_t rounds,
                                std::chrono::nanoseconds budget);

// A job for each broken lock and each control of each engine.
absl::StatusOr<std::vector<TestJob>> plan_self_test(const StressOptions& options,
                                                    const std::vector<EngineListing>& engines);

// What became of one job in a self-test.
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
