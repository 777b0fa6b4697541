// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/command/plan.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include <absl/algorithm/container.h>
#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include "harness/base/nearest.h"
#include "harness/stress/forms.h"

namespace lockbench {
namespace {

// A shorter test of a lock has no value. With many locks, the budget is then exceeded, and a
// message says that it is too small.
constexpr std::chrono::milliseconds kShortestSearch{100};

// Limits of a self-test: the time in which a broken lock must be detected, and the time for a
// control.
constexpr std::chrono::seconds kLongestForAKill{60};
constexpr std::chrono::milliseconds kForAControl{500};

// With a smaller budget, there is no self-test, and the lock gets the whole budget.
constexpr std::chrono::seconds kLeastForASelfTest{5};

// An option that some engines know, and whether it was given. An engine ignores the others. At
// least one engine knows it: an added engine brings its options.
struct EngineOption {
  const char* name;
  bool given;
  std::vector<std::string> engines;
};

std::vector<EngineOption> engine_options(const StressOptions& options) {
  const stress::Order& order = options.order;
  const auto added_with = [&](const char* option) {
    std::vector<std::string> engines;
    for (const AddedEngine& engine : options.added_engines) {
      if (engine.knows(option)) engines.push_back(engine.name);
    }
    return engines;
  };
  return {{"--exhaustive", order.exhaustive, {"sim"}},
          {"--weaken", order.weaken, {"sim"}},
          {"--schedule", !order.schedule.empty(), {"sim"}},
          {"--program", !order.program.empty() && !options.program_file, {"sim", "real"}},
          {"--program-file", options.program_file.has_value(), {"sim", "real"}},
          {"--mode", !order.mode.empty(), {"real", "proc"}},
          {"--faults", !order.faults.empty(), added_with("--faults")},
          {"--ignore-tokens", order.ignore_tokens, added_with("--ignore-tokens")},
          {"--network", !order.network.empty(), added_with("--network")}};
}

bool have_a_common_one(const std::vector<std::string>& some,
                       const std::vector<std::string>& others) {
  return std::any_of(some.begin(), some.end(),
                     [&](const std::string& name) { return absl::c_linear_search(others, name); });
}

absl::Status unknown_engine(const std::string& name, const std::vector<std::string>& known,
                            const std::vector<AddedEngine>& added) {
  if (std::find(std::begin(kEngines), std::end(kEngines), name) != std::end(kEngines)) {
    return absl::InvalidArgumentError(absl::StrCat("engine '", name,
                                                   "' knows none of these locks; "
                                                   "these do: ",
                                                   absl::StrJoin(known, ", ")));
  }
  for (const AddedEngine& engine : added) {
    if (engine.name == name) return absl::InvalidArgumentError(engine.without_plugin);
  }
  return unknown_name("engine", name, known);
}

absl::Status check_names(const StressOptions& options, const std::vector<EngineListing>& engines) {
  std::vector<std::string> known_engines;
  std::vector<std::string> known_locks;
  for (const EngineListing& engine : engines) {
    known_engines.push_back(engine.engine);
    for (const Listed& lock : engine.locks) {
      if (!absl::c_linear_search(known_locks, lock.name)) known_locks.push_back(lock.name);
    }
  }
  for (const std::string& name : options.engines) {
    if (!absl::c_linear_search(known_engines, name)) {
      return unknown_engine(name, known_engines, options.added_engines);
    }
  }
  for (const std::string& name : options.locks) {
    if (!knows(engines, name)) return unknown_lock(name, known_locks);
  }
  return absl::OkStatus();
}

std::vector<Listed> chosen(const StressOptions& options, const EngineListing& engine) {
  if (!options.engines.empty() && !absl::c_linear_search(options.engines, engine.engine)) return {};
  if (options.locks.empty()) return engine.locks;
  std::vector<Listed> locks;
  for (const Listed& lock : engine.locks) {
    for (const std::string& name : options.locks) {
      const bool twice = std::any_of(locks.begin(), locks.end(),
                                     [&](const Listed& one) { return one.name == name; });
      if (!means(name, lock) || twice) continue;
      locks.push_back(lock);
      locks.back().name = name;
    }
  }
  return locks;
}

std::chrono::nanoseconds budget_in_self_test(const Listed& lock) {
  return lock.expected_oracles.empty() ? kForAControl : kLongestForAKill;
}

// How many parts of an engine's time a lock gets. The form with several objects gets fewer: what
// mixes up objects shows soon, and all else is searched for in the other forms.
std::int64_t parts_of(const Listed& lock) {
  return stress::has_form(lock.name, stress::kSeveralObjects) ? 1 : 3;
}

absl::Status nothing_to_do() {
  return absl::InvalidArgumentError(
      "none of the engines named knows any of the locks named; `lockbench stress --list` shows "
      "which knows which");
}

}  // namespace

absl::StatusOr<std::vector<std::string>> engines_for(const StressOptions& options) {
  std::vector<std::string> engines = options.engines;
  for (const EngineOption& option : engine_options(options)) {
    if (!option.given) continue;
    if (engines.empty()) {
      engines = option.engines;
    } else if (!have_a_common_one(engines, option.engines)) {
      return absl::InvalidArgumentError(
          absl::StrCat(option.name, " is for the engine ", absl::StrJoin(option.engines, " or "),
                       options.engines.empty()
                           ? ": leave it out, or the option for another engine"
                           : ": leave --engine out, or say --engine " + option.engines.front()));
    } else if (options.engines.empty()) {
      std::erase_if(engines, [&](const std::string& name) {
        return !absl::c_linear_search(option.engines, name);
      });
    }
  }
  return engines;
}

absl::StatusOr<std::vector<TestJob>> plan_stress(const StressOptions& options,
                                                 const std::vector<EngineListing>& engines) {
  if (absl::Status known = check_names(options, engines); !known.ok()) return known;
  std::vector<std::pair<const EngineListing*, std::vector<Listed>>> work;
  for (const EngineListing& engine : engines) {
    std::vector<Listed> locks = chosen(options, engine);
    if (!locks.empty()) work.emplace_back(&engine, std::move(locks));
  }
  if (work.empty()) return nothing_to_do();
  std::vector<TestJob> jobs;
  for (const auto& [engine, locks] : work) {
    const std::chrono::nanoseconds of_engine = options.budget / work.size();
    const std::int64_t all =
        std::accumulate(locks.begin(), locks.end(), std::int64_t{0},
                        [](std::int64_t sum, const Listed& lock) { return sum + parts_of(lock); });
    for (const Listed& lock : locks) {
      const auto own =
          std::max<std::chrono::nanoseconds>(of_engine * parts_of(lock) / all, kShortestSearch);
      jobs.push_back({engine->engine, engine->program, lock, own, engine->plugin});
    }
  }
  return jobs;
}

std::chrono::nanoseconds budget_now(const std::vector<TestJob>& jobs, std::size_t position,
                                    std::chrono::nanoseconds left) {
  std::chrono::duration<double> planned{};
  for (std::size_t i = position; i < jobs.size(); ++i) planned += jobs[i].budget;
  const std::chrono::duration<double> own = jobs[position].budget;
  const auto share = std::chrono::duration_cast<std::chrono::nanoseconds>(left * (own / planned));
  return std::max<std::chrono::nanoseconds>(share, kShortestSearch);
}

std::chrono::nanoseconds budget_if_exhaustive(const std::vector<TestJob>& jobs,
                                              std::size_t position, std::chrono::nanoseconds left) {
  return std::max(left / 2, budget_now(jobs, position, left));
}

void demand_share(std::chrono::nanoseconds planned, std::chrono::nanoseconds given,
                  stress::Report& report) {
  constexpr int kLeastPart = 10;
  if (report.verdict != stress::Verdict::kClean || given >= planned / kLeastPart) return;
  report.verdict = stress::Verdict::kInconclusive;
  const auto seconds = [](std::chrono::nanoseconds time) {
    return std::chrono::duration<double>(time).count();
  };
  report.remarks.push_back(
      absl::StrFormat("only %.1f s of its share of %.1f s were left: too little to call it clean",
                      seconds(given), seconds(planned)));
}

void name_untested(const std::vector<EngineListing>& engines, const std::vector<TestJob>& jobs,
                   stress::Report& report) {
  constexpr std::size_t kMostNamed = 4;
  if (report.verdict != stress::Verdict::kClean) return;
  const auto is_tested = [&](const std::string& form) {
    return std::any_of(jobs.begin(), jobs.end(), [&](const TestJob& job) {
      return job.engine == report.engine && job.lock.name == form;
    });
  };
  std::vector<std::string> others;
  for (const EngineListing& listing : engines) {
    if (listing.engine != report.engine) continue;
    for (const Listed& lock : listing.locks) {
      if (is_another_of(lock.name, report.lock) && !is_tested(lock.name)) {
        others.push_back(lock.name);
      }
    }
  }
  if (others.empty()) return;
  const std::size_t left_out = others.size() - std::min(others.size(), kMostNamed);
  others.resize(others.size() - left_out);
  const std::string more = left_out == 0 ? "" : absl::StrCat(" and ", left_out, " more");
  report.remarks.push_back(absl::StrCat(
      "not tested, since not named: ", absl::StrJoin(others, ", "), more, " (--list)"));
}

bool tests_whole_lock(const stress::Order& order) {
  return order.program.empty() && order.schedule.empty() && order.mode.empty() &&
         order.faults.empty() && order.net.empty() && !order.ignore_tokens && !order.weaken;
}

std::chrono::nanoseconds self_test_share(const StressOptions& options) {
  const bool one_thing = !tests_whole_lock(options.order) || options.order.exhaustive;
  if (one_thing || options.budget < kLeastForASelfTest) return {};
  return options.budget / 10;
}

bool has_time_for_another_round(std::chrono::nanoseconds spent, std::uint64_t rounds,
                                std::chrono::nanoseconds budget) {
  return spent + spent / rounds <= budget;
}

absl::StatusOr<std::vector<TestJob>> plan_self_test(const StressOptions& options,
                                                    const std::vector<EngineListing>& engines) {
  if (absl::Status known = check_names(options, engines); !known.ok()) return known;
  std::vector<TestJob> jobs;
  for (const EngineListing& engine : engines) {
    for (const Listed& lock : chosen(options, engine)) {
      jobs.push_back({engine.engine, engine.program, lock, budget_in_self_test(lock)});
    }
  }
  if (jobs.empty()) return nothing_to_do();
  return jobs;
}

Kill kill_result(const Listed& lock, const stress::Report& report) {
  const bool failed = report.verdict == stress::Verdict::kFailed;
  if (lock.expected_oracles.empty()) {
    if (!lock.unseen.empty()) return failed ? Kill::kAsExpected : Kill::kUnseen;
    return failed ? Kill::kFalseFailure : Kill::kPassed;
  }
  if (!failed) return Kill::kMissed;
  const std::string oracle(name_of(report.failure->oracle));
  return absl::c_linear_search(lock.expected_oracles, oracle) ? Kill::kAsExpected
                                                              : Kill::kWrongOracle;
}

bool passes(Kill kill) {
  return kill == Kill::kAsExpected || kill == Kill::kPassed || kill == Kill::kUnseen;
}

}  // namespace lockbench
