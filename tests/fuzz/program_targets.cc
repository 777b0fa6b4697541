// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "harness/plugin/describe.h"
#include "harness/stress/explore/search/schedule.h"
#include "harness/stress/litmus/program.h"
#include "harness/stress/report.h"
#include "tests/fuzz/properties.h"
#include "tests/fuzz/targets.h"

namespace lockbench::fuzz {
namespace {

constexpr std::size_t kMostThreads = 8;

void fuzz_program(std::string_view text) {
  using stress::LitmusProgram;
  const auto parse = [](std::string_view t) { return stress::program_from(t, kMostThreads); };
  require_round_trip(text, parse, [](const LitmusProgram& p) { return to_text(p); });
  const absl::StatusOr<LitmusProgram> program = parse(text);
  if (!program.ok()) return;
  require(program->keys() >= 1, "a program has a key");
  for (const std::vector<stress::Act>& acts : program->threads) {
    for (std::size_t i = 0; i < acts.size(); ++i) {
      const bool of_keys = acts[i].kind != stress::Act::kAwaitEnd;
      require(!of_keys || std::max(acts[i].key, acts[i].other) < program->keys(),
              "keys are below the number of keys");
      if (!acquires(acts[i].kind)) continue;
      require(end_of_hold(acts, i) < acts.size(), "each acquisition has its release");
    }
  }
}

Seeds program_seeds() {
  return {"L0 U | T0 U | W1:2000000 R500 U | B0+1 U", "L0 L1 U E | A0 F0", "|",
          "K16 C254 L0 U | L0 U"};
}

void fuzz_schedule(std::string_view text) {
  using stress::explore::Schedule;
  require_round_trip(text, stress::explore::schedule_from,
                     [](const Schedule& schedule) { return to_text(schedule); });
}

Seeds schedule_seeds() {
  return {"1*4.2*3.f1.t.2", "-", "p.d.1", "d"};
}

// A value without equality is equal if its text is.
template <class Parse>
void require_equal_text(std::string_view text, const Parse& parse) {
  require_round_trip(
      text,
      [&](std::string_view t) -> absl::StatusOr<std::string> {
        const auto value = parse(t);
        if (!value.ok()) return value.status();
        return to_json(*value);
      },
      [](const std::string& printed) { return printed; });
}

void fuzz_description(std::string_view text) {
  require_equal_text(text, description_from_json);
}

Seeds description_seeds() {
  PluginDescription description{.entries = {}, .call_ns = 1.5};
  description.entries.push_back(
      {.listing = {.name = "mine",
                   .summary = "A lock",
                   .origin = "a tutorial",
                   .choices = {{"lock", "std"}},
                   .numbers = {{"stripes", 64, 1, 1000, "how many"}}},
       .promises = {.excludes = true, .reentrant = true},
       .key_types = {KeyType::kU64, KeyType::kString},
       .pairings = {{.workload = "counter", .key_type = KeyType::kString, .make = {}}},
       .plugin = {}});
  return {to_json(description)};
}

void fuzz_report(std::string_view text) {
  require_equal_text(text, stress::report_from_json);
}

Seeds report_seeds() {
  stress::Report report{.engine = "sim", .lock = "keyed"};
  report.figures = {{"executions", 12}};
  report.remarks = {"explored whole"};
  Seeds seeds{to_json(report)};
  report.verdict = stress::Verdict::kFailed;
  report.failure = stress::Failure{static_cast<stress::Oracle>(0), "two holders"};
  report.replay = {.options = {"--seed", "1"}, .exact = true};
  report.trace = {"thread 1 acquires key 0"};
  seeds.push_back(to_json(report));
  return seeds;
}

}  // namespace

std::vector<Target> program_targets() {
  return {
      {"program", fuzz_program, program_seeds},
      {"schedule", fuzz_schedule, schedule_seeds},
      {"description", fuzz_description, description_seeds},
      {"report", fuzz_report, report_seeds},
  };
}

}  // namespace lockbench::fuzz
