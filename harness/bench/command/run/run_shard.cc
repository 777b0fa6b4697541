// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/run/run_shard.h"

#include <algorithm>
#include <iostream>
#include <optional>
#include <set>
#include <utility>

#include <absl/strings/str_format.h>

#include "harness/base/complain.h"
#include "harness/base/shell_command.h"
#include "harness/bench/command/run/plugins.h"
#include "harness/bench/measure/calibration.h"
#include "harness/bench/plan/json.h"
#include "harness/bench/record/build.h"
#include "harness/bench/record/machine.h"
#include "harness/bench/record/machine_identity.h"
#include "harness/bench/record/recovery.h"
#include "harness/bench/record/stamp.h"
#include "harness/process/signals.h"

namespace lockbench {
namespace {

namespace fs = std::filesystem;
using Numbers = std::set<std::uint32_t>;

// No task moves to another machine this often.
constexpr std::size_t kMostMachines = 1000;

// The run in the folder; absent if there is none.
absl::StatusOr<std::optional<Meta>> find_run(const fs::path& folder) {
  const fs::path path = folder / "meta.json";
  const absl::StatusOr<std::string> text = read_file(path, kMostRunFileBytes);
  if (absl::IsNotFound(text.status())) return std::nullopt;
  if (!text.ok()) return text.status();
  absl::StatusOr<Meta> meta = parse_meta(*text, path.string());
  if (!meta.ok()) return meta.status();
  return *std::move(meta);
}

// Why the run in a folder is not the requested one; empty if it is.
std::string difference(const Meta& found, const Plan& plan, const Shard& shard,
                       const Build& build) {
  if (!found.shard) return "the folder holds a run that is no shard";
  if (*found.shard != shard) {
    return absl::StrFormat("the folder holds shard %s, not %s", to_text(*found.shard),
                           to_text(shard));
  }
  if (std::string other = plan_difference(found.plan, plan); !other.empty()) {
    return "the folder holds a shard of another plan (" + other + ")";
  }
  if (std::string other = build_difference(found, build, plugin_records(plan)); !other.empty()) {
    return "the folder holds a shard that was begun with another build (" + other + ")";
  }
  return {};
}

absl::StatusOr<Numbers> done_in(const fs::path& folder, const Meta& meta) {
  const fs::path trials = folder / "trials.csv";
  const absl::StatusOr<std::string> text = read_file(trials, kMostRunFileBytes);
  if (absl::IsNotFound(text.status())) return Numbers{};
  if (!text.ok()) return text.status();
  absl::StatusOr<RecoveredTrials> found =
      recover_trials(*text, trials.string(), meta.run, meta.plan);
  if (!found.ok()) return found.status();
  return std::move(found->done);
}

// The folder in which this machine continues, and its trials.
struct ShardFolder {
  fs::path path;
  bool begun = false;
  bool ended = false;  // meta.json says so, too; a kill may come between the last row and this
  Numbers trials;      // the trials that are measured there
  Numbers done;        // of these, those that are done
  std::vector<fs::path> all = {};  // the folders of all machines that measured the shard
};

// Removes the trials of groups that `done` contains completely.
void remove_whole_groups(const Plan& plan, const Numbers& done, Numbers& trials) {
  const std::vector<std::uint32_t> group_of = comparison_groups(plan);
  Numbers open;
  for (const std::uint32_t trial : trials) {
    if (!done.contains(trial)) open.insert(group_of[trial]);
  }
  std::erase_if(trials, [&](std::uint32_t trial) { return !open.contains(group_of[trial]); });
}

// Checks whether the folder belongs to this machine. If not, the groups that it contains completely
// are not measured again.
absl::Status look_at(const fs::path& folder, const Meta& found, const Machine& machine,
                     const Plan& plan, ShardFolder& ours) {
  absl::StatusOr<Numbers> done = done_in(folder, found);
  if (!done.ok()) return done.status();
  if (!ours.begun && machine_difference(found.machine, machine).empty()) {
    ours.path = folder;
    ours.begun = true;
    ours.ended = found.end.state == RunEnd::State::kFinished;
    ours.done = *std::move(done);
  } else {
    remove_whole_groups(plan, *done, ours.trials);
  }
  return absl::OkStatus();
}

// `trials`: all trials of the shard.
absl::StatusOr<ShardFolder> folder_for(const Machine& machine, const Plan& plan, const Shard& shard,
                                       const fs::path& folder, Numbers trials) {
  ShardFolder ours{
      .path = {}, .begun = false, .ended = false, .trials = std::move(trials), .done = {}};
  for (std::size_t n = 1; n <= kMostMachines; ++n) {
    const fs::path at = folder_of_machine(folder, n);
    const absl::StatusOr<std::optional<Meta>> found = find_run(at);
    if (!found.ok()) return found.status();
    if (!*found) {
      if (!ours.begun) ours.path = at;
      return ours;
    }
    const std::string why = difference(**found, plan, shard, this_build());
    if (!why.empty()) {
      return absl::FailedPreconditionError(
          absl::StrFormat("--out: %s: %s; name another folder", at.string(), why));
    }
    ours.all.push_back(at);
    if (absl::Status status = look_at(at, **found, machine, plan, ours); !status.ok()) {
      return status;
    }
  }
  return absl::FailedPreconditionError(
      absl::StrFormat("--out: %s: %d machines measured this shard already; name another folder",
                      folder.string(), kMostMachines));
}

// The end of a shard that was measured before, by one machine or by several.
absl::StatusOr<FinishedSession> read_finished(const fs::path& folder, Plan plan,
                                              const std::vector<fs::path>& parts) {
  std::vector<Measurement> rows;
  for (const fs::path& part : parts) {
    const absl::StatusOr<MeasuredRun> run = read_measured_run(part);
    if (!run.ok()) return run.status();
    rows.insert(rows.end(), run->measurements.begin(), run->measurements.end());
  }
  return finished_session(folder.string(), std::move(plan), std::move(rows));
}

bool is_done(const ShardFolder& ours) {
  if (ours.begun && !ours.ended) return false;
  return std::includes(ours.done.begin(), ours.done.end(), ours.trials.begin(), ours.trials.end());
}

absl::StatusOr<ResumedRun> open_folder(const ShardFolder& ours, Meta meta) {
  if (ours.begun) return open_for_resume(ours.path);
  meta.calibration = calibrate();
  absl::StatusOr<RunWriter> writer = RunWriter::create(ours.path, meta);
  if (!writer.ok()) return writer.status();
  return ResumedRun{.writer = *std::move(writer), .done = {}, .repairs = {}};
}

}  // namespace

fs::path folder_of_machine(const fs::path& folder, std::size_t n) {
  return n == 1 ? folder : folder / ("machine-" + std::to_string(n));
}

int run_shard(Plan plan, const Shard& shard, const fs::path& folder,
              const std::vector<std::string>& words, SessionSettings settings) {
  note_signals();
  const auto seconds = [](const Trial& trial) { return expected_anywhere_s(trial); };
  const absl::StatusOr<std::vector<std::uint32_t>> trials = trials_of_shard(plan, shard, seconds);
  if (!trials.ok()) return complain(std::cerr, kRunCommand, trials.status());
  const Machine machine = read_machine();
  const absl::StatusOr<ShardFolder> ours =
      folder_for(machine, plan, shard, folder, Numbers(trials->begin(), trials->end()));
  if (!ours.ok()) return complain(std::cerr, kRunCommand, ours.status());
  if (is_done(*ours)) {
    const absl::StatusOr<FinishedSession> finished =
        read_finished(folder, std::move(plan), ours->all);
    return finished.ok() ? finish_again(*finished, settings)
                         : complain(std::cerr, kRunCommand, finished.status());
  }
  const RunIdentity identity{.run_id = new_run_id(plan.preset),
                             .preset = plan.preset,
                             .target = plan.target,
                             .machine = machine.id.value_or("")};
  absl::StatusOr<ResumedRun> run = open_folder(*ours, {.run = identity,
                                                       .started_at = utc_now(),
                                                       .command = shell_command(words),
                                                       .machine = machine,
                                                       .build = this_build(),
                                                       .plugins = plugin_records(plan),
                                                       .shard = shard,
                                                       .plan = std::move(plan)});
  if (!run.ok()) return complain(std::cerr, kRunCommand, run.status());
  for (const std::string& repair : run->repairs) say(std::cerr, kRunCommand, repair);
  settings.only = ours->trials;
  settings.go_on = shell_command(words);
  std::vector<Measurement> before;
  if (ours->begun) {
    absl::StatusOr<MeasuredRun> measured = read_measured_run(ours->path);
    if (!measured.ok()) return complain(std::cerr, kRunCommand, measured.status());
    before = std::move(measured->measurements);
  }
  return Session(std::move(run->writer), run->done, std::move(before), std::move(settings)).run();
}

}  // namespace lockbench
