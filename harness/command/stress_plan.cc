#include "harness/command/stress_plan.h"

#include <algorithm>
#include <utility>

#include <absl/status/status.h>

#include "harness/plan/nearest.h"

namespace lockbench {
namespace {

// A hunt shorter than this says nothing; with many suspects the budget is then exceeded, and said
// to be too small.
constexpr std::chrono::milliseconds kShortestHunt{100};

// How long a broken lock may live, and how long a control is looked into, in a self-test.
constexpr std::chrono::seconds kMostForAKill{10};
constexpr std::chrono::milliseconds kForAControl{500};

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

absl::Status check_names(const StressOptions& options, const std::vector<EngineListing>& engines) {
  std::vector<std::string> known_engines;
  std::vector<std::string> known_suspects;
  for (const EngineListing& engine : engines) {
    known_engines.push_back(engine.engine);
    for (const Listed& suspect : engine.suspects) {
      if (!contains(known_suspects, suspect.name)) known_suspects.push_back(suspect.name);
    }
  }
  for (const std::string& name : options.engines) {
    if (!contains(known_engines, name)) return unknown_name("engine", name, known_engines);
  }
  for (const std::string& name : options.suspects) {
    if (!contains(known_suspects, name)) return unknown_name("lock", name, known_suspects);
  }
  return absl::OkStatus();
}

std::vector<Listed> chosen(const StressOptions& options, const EngineListing& engine) {
  if (!options.engines.empty() && !contains(options.engines, engine.engine)) return {};
  std::vector<Listed> suspects;
  for (const Listed& suspect : engine.suspects) {
    if (options.suspects.empty() || contains(options.suspects, suspect.name)) {
      suspects.push_back(suspect);
    }
  }
  return suspects;
}

absl::Status nothing_to_do() {
  return absl::InvalidArgumentError(
      "none of the engines named knows any of the locks named; `lockbench stress --list` shows "
      "which knows which");
}

}  // namespace

std::vector<Listed> listed_from(std::string_view text) {
  std::vector<Listed> suspects;
  for (const std::string& line : split(text, '\n')) {
    std::vector<std::string> fields = split(line, '\t');
    if (fields.size() < 4) continue;
    Listed listed{.name = std::move(fields[0]), .summary = std::move(fields[1])};
    if (!fields[2].empty()) listed.convicted_by = split(fields[2], ',');
    listed.unseen = std::move(fields[3]);
    suspects.push_back(std::move(listed));
  }
  return suspects;
}

absl::StatusOr<std::vector<Charge>> plan_stress(const StressOptions& options,
                                                const std::vector<EngineListing>& engines) {
  if (absl::Status known = check_names(options, engines); !known.ok()) return known;
  std::vector<std::pair<const EngineListing*, std::vector<Listed>>> work;
  for (const EngineListing& engine : engines) {
    std::vector<Listed> suspects = chosen(options, engine);
    if (!suspects.empty()) work.emplace_back(&engine, std::move(suspects));
  }
  if (work.empty()) return nothing_to_do();
  std::vector<Charge> charges;
  for (const auto& [engine, suspects] : work) {
    const std::chrono::nanoseconds each = std::max<std::chrono::nanoseconds>(
        options.budget / (work.size() * suspects.size()), kShortestHunt);
    for (const Listed& suspect : suspects) {
      charges.push_back({engine->engine, engine->program, suspect, each});
    }
  }
  return charges;
}

absl::StatusOr<std::vector<Charge>> plan_self_test(const StressOptions& options,
                                                   const std::vector<EngineListing>& engines) {
  if (absl::Status known = check_names(options, engines); !known.ok()) return known;
  std::vector<Charge> charges;
  for (const EngineListing& engine : engines) {
    for (const Listed& suspect : chosen(options, engine)) {
      const std::chrono::nanoseconds budget = suspect.convicted_by.empty()
                                                  ? std::chrono::nanoseconds(kForAControl)
                                                  : std::chrono::nanoseconds(kMostForAKill);
      charges.push_back({engine.engine, engine.program, suspect, budget});
    }
  }
  if (charges.empty()) return nothing_to_do();
  return charges;
}

Kill judge_kill(const Listed& suspect, const stress::Report& report) {
  const bool convicted =
      report.verdict == stress::Verdict::kConvicted || report.verdict == stress::Verdict::kFairness;
  if (suspect.convicted_by.empty()) {
    if (!suspect.unseen.empty()) return convicted ? Kill::kAsExpected : Kill::kUnseen;
    return convicted ? Kill::kFalseConviction : Kill::kAcquitted;
  }
  if (!convicted) return Kill::kMissed;
  const std::string oracle(name_of(report.finding->oracle));
  return contains(suspect.convicted_by, oracle) ? Kill::kAsExpected : Kill::kWrongOracle;
}

bool passes(Kill kill) {
  return kill == Kill::kAsExpected || kill == Kill::kAcquitted || kill == Kill::kUnseen;
}

}  // namespace lockbench
