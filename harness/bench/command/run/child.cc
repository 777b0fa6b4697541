// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/run/child.h"

#include <chrono>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "harness/bench/catalog/catalog.h"
#include "harness/bench/measure/pinning.h"
#include "harness/bench/plan/json.h"
#include "harness/bench/record/sample_json.h"
#include "harness/kernel/processors.h"
#include "harness/process/child_process.h"
#include "harness/process/resources.h"

namespace lockbench {
namespace {

Sample outcome_of(const ChildResult& result) {
  if (result.ending == ChildEnding::kTooLong) {
    return {.outcome = Outcome::kTimeout,
            .reason = "the trial's process did not end by itself and was killed"};
  }
  if (WIFEXITED(result.status) && WEXITSTATUS(result.status) == 0) {
    absl::StatusOr<Sample> sample = parse_sample(result.out);
    if (sample.ok()) return *std::move(sample);
    return {.outcome = Outcome::kCrashed,
            .reason =
                "the trial's process printed no sample: " + std::string(sample.status().message())};
  }
  return {.outcome = Outcome::kCrashed, .reason = end_text("the trial's process", result)};
}

absl::StatusOr<ChildResult> run_with_trial(const std::filesystem::path& program,
                                           std::vector<std::string> words, const Trial& trial,
                                           Nanoseconds grace) {
  return run_child({.program = program,
                    .words = std::move(words),
                    .input = to_json(trial),
                    .deadline = std::chrono::steady_clock::now() + trial.cell.time_limit + grace});
}

absl::StatusOr<Sample> sample_of(const absl::StatusOr<ChildResult>& result) {
  if (!result.ok()) return result.status();
  if (result->ending == ChildEnding::kInterrupted) return absl::CancelledError("interrupted");
  return outcome_of(*result);
}

}  // namespace

std::filesystem::path trial_program() {
  const std::filesystem::path main = main_program();
  return main == this_program() ? "/proc/self/exe" : main;
}

absl::StatusOr<Sample> sample_of_child(const std::filesystem::path& program,
                                       std::vector<std::string> words, const Trial& trial,
                                       Nanoseconds grace) {
  return sample_of(run_with_trial(program, std::move(words), trial, grace));
}

absl::StatusOr<ChildResult> run_trial_child(const std::filesystem::path& program,
                                            const Trial& trial,
                                            const std::vector<std::string>& flags,
                                            Nanoseconds grace) {
  std::vector<std::string> words{"lockbench", "trial", "--parent", std::to_string(getpid())};
  words.insert(words.end(), flags.begin(), flags.end());
  const Placement placed = placement_for(trial.cell.pinning, trial.cell.threads);
  const auto add_list = [&words](const char* flag, const std::vector<int>& list) {
    if (!list.empty()) words.insert(words.end(), {flag, processor_list(list)});
  };
  add_list("--processors", placed.processors);
  add_list("--core-kinds", placed.ranks);
  if (placed.fast_processor) add_list("--fast-processor", {*placed.fast_processor});
  const std::string plugin = Catalog::standard().plugin_of(trial.cell.primitive);
  if (!plugin.empty()) words.insert(words.end(), {"--plugin", plugin});
  return run_with_trial(program, std::move(words), trial, grace);
}

absl::StatusOr<Sample> measure_in_child(const std::filesystem::path& program, const Trial& trial,
                                        Nanoseconds grace) {
  return sample_of(run_trial_child(program, trial, {}, grace));
}

}  // namespace lockbench
