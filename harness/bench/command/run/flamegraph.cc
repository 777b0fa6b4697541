// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/run/flamegraph.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ostream>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <nlohmann/json.hpp>

#include "harness/base/complain.h"
#include "harness/base/exit_code.h"
#include "harness/base/printable.h"
#include "harness/bench/command/run/child.h"
#include "harness/bench/command/run/session.h"
#include "harness/bench/measure/pinning.h"
#include "harness/bench/plan/describe.h"
#include "harness/bench/plan/spelling.h"
#include "harness/bench/record/sample_json.h"
#include "harness/kernel/kernel_file.h"
#include "harness/kernel/processors.h"
#include "harness/process/child_process.h"
#include "harness/process/page_script.h"
#include "harness/process/signals.h"
#include "primitives/platform/scratch_folder.h"

namespace lockbench {
namespace {

constexpr std::string_view kWho = "lockbench trial: --flamegraph";

namespace fs = std::filesystem;

// A picture of 1200 points cannot show more. With 4 KiB of stack for each, perf writes some 40 MiB.
constexpr double kWantedSamples = 10'000;
constexpr double kFewestPerS = 49;   // not a divisor of periods of the harness or the kernel
constexpr double kMostPerS = 1'999;  // the kernel permits 10 to 50 times as many
constexpr char kStackCopy[] = "dwarf,4096";

// perf reads its recorded data again before it ends.
constexpr std::chrono::minutes kPerfEndsWithin{2};
constexpr std::chrono::seconds kProbeEndsWithin{20};

bool on_path(const std::string& program) {
  const char* const path = std::getenv("PATH");
  const std::vector<std::string> folders = absl::StrSplit(path == nullptr ? "" : path, ':');
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
    return access((fs::path(folder) / program).c_str(), X_OK) == 0;
  });
}

std::vector<std::string> record_words(const fs::path& data, std::uint32_t samples_per_s) {
  return {"perf",
          "record",
          "--quiet",
          "--no-buildid-cache",
          "--event",
          "cpu-clock",
          "--freq",
          std::to_string(samples_per_s),
          "--call-graph",
          kStackCopy,
          "--output",
          data.string(),
          "--"};
}

// Records a program that does nothing. A failure is then due to perf and not to the trial.
absl::Status check_perf(const fs::path& folder) {
  if (!on_path("perf")) {
    return absl::NotFoundError(
        "no program perf is on the PATH; install linux-perf (Ubuntu: linux-tools-generic)");
  }
  std::vector<std::string> words = record_words(folder / "probe.data", 99);
  words.push_back("true");
  const absl::StatusOr<ChildResult> result =
      run_child({.program = "perf",
                 .words = std::move(words),
                 .input = {},
                 .deadline = std::chrono::steady_clock::now() + kProbeEndsWithin});
  if (!result.ok()) return result.status();
  if (result->ending == ChildEnding::kInterrupted) return absl::CancelledError("interrupted");
  if (result->ending == ChildEnding::kEnded && result->status == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("perf cannot record here: perf_event_paranoid is ",
                   kernel_text("/proc/sys/kernel/perf_event_paranoid").value_or("unknown"),
                   "; 2 or less is needed, and a container must allow perf_event_open; ",
                   end_text("`perf record`", *result)));
}

// perf starts the trial, so /proc/self would be perf's own.
std::vector<std::string> words_of_trial(const std::vector<std::string>& plugins) {
  std::vector<std::string> words{absl::StrCat("/proc/", getpid(), "/exe"), "trial"};
  for (const std::string& plugin : plugins) words.insert(words.end(), {"--plugin", plugin});
  return words;
}

absl::StatusOr<Sample> record(const Trial& trial, const std::vector<std::string>& plugins,
                              const fs::path& data, std::uint32_t samples_per_s) {
  std::vector<std::string> words = record_words(data, samples_per_s);
  for (std::string& word : words_of_trial(plugins)) words.push_back(std::move(word));
  return sample_of_child("perf", std::move(words), trial, kPerfEndsWithin);
}

std::string description(const Trial& trial, const fs::path& data, std::uint32_t samples_per_s) {
  const nlohmann::json json = {{"data", data.string()},
                               {"primitive", to_text(trial.cell.primitive)},
                               {"cell", describe(trial.cell)},
                               {"samples_per_s", samples_per_s}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::uint32_t stack_samples_per_s(double trial_s, std::uint32_t busy_processors) {
  const double wanted = kWantedSamples / std::max(1e-3, trial_s * busy_processors);
  return static_cast<std::uint32_t>(std::clamp(std::floor(wanted), kFewestPerS, kMostPerS));
}

int trial_with_flamegraph(const Trial& trial, const std::vector<std::string>& plugins,
                          const fs::path& file, std::ostream& out, std::ostream& err) {
  note_signals();
  std::error_code none;
  const fs::path folder = fs::absolute(file, none).parent_path();
  if (!fs::is_directory(folder, none)) {
    return complain(err, kWho,
                    absl::NotFoundError(absl::StrCat("'", folder.string(), "' is no folder")),
                    kBadInput);
  }
  const platform::ScratchFolder scratch;
  if (const absl::Status able = check_perf(scratch.path()); !able.ok()) {
    return complain(err, kWho, able);
  }
  const fs::path data = fs::path(scratch.path()) / "perf.data";
  const std::uint32_t samples_per_s =
      stack_samples_per_s(expected_s(trial), std::min(trial.cell.threads, usable_processors()));
  const absl::StatusOr<Sample> sample = record(trial, plugins, data, samples_per_s);
  if (!sample.ok()) return complain(err, kWho, sample.status(), kCouldNotFinish);
  out << sample_text(*sample) << std::endl;
  const absl::Status drawn =
      write_page("scripts/commands/draw_stacks.py", description(trial, data, samples_per_s), file);
  if (!drawn.ok()) return complain(err, kWho, drawn, kCouldNotFinish);
  return kSuccess;
}

}  // namespace lockbench
