// SPDX-License-Identifier: Apache-2.0

// The plan that a command measures: the preset that its command line chooses, with its flags laid
// over it, as a new run (run_plan) or as the rest of one (resume_run).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/bench/command/run/session.h"
#include "harness/bench/plan/cell.h"
#include "harness/bench/plan/preset.h"
#include "harness/bench/record/run_writer.h"

namespace lockbench {

// `name`: of a preset, or a file that ends in `.toml`; absent: a preset of the flags alone, with
// the usual values of their workload. An error names the flag or the position in the file.
absl::StatusOr<Preset> chosen_preset(const std::optional<std::string>& name,
                                     const Overrides& overrides);

// Creates the run's folder (absent: results/runs/<time>-<preset>-<id>), prints which properties of
// this machine affect measurements or differ from the target, and measures. `words`: the command
// line, for meta.json. Returns the exit code, see run_command.h.
int run_plan(Plan plan, const std::optional<std::filesystem::path>& out,
             const std::vector<std::string>& words, SessionSettings settings,
             const std::optional<RunAim>& aim = std::nullopt);

// Computed rows are of a modelled machine, and do not depend on this one.
enum class RowKind { kMeasured, kComputed };

// A finished run is only read, whatever machine and build measured it. If a user has removed one of
// its rows, it is not finished. Any other run is opened as by open_for_resume(). FailedPrecondition
// if the folder holds a shard, if the rows are of another kind, or if an unfinished run was begun
// with another build or on another machine. Nothing is written to a run that is refused for these
// reasons.
absl::StatusOr<std::variant<ResumedRun, FinishedSession>> resume_run(
    const std::filesystem::path& folder, RowKind kind = RowKind::kMeasured);

}  // namespace lockbench
