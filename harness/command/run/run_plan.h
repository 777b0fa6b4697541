// SPDX-License-Identifier: Apache-2.0

// RunPlan: measures a new plan completely.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/command/run/session.h"
#include "harness/plan/cell.h"

namespace lockbench {

// Creates the run's folder (absent: results/runs/<time>-<preset>-<id>), prints which properties of
// this machine affect measurements or differ from the target, and measures. `words`: the command
// line, for meta.json. Returns the exit code, see run_command.h.
int run_plan(Plan plan, const std::optional<std::filesystem::path>& out,
             const std::vector<std::string>& words, SessionSettings settings,
             const std::optional<RunAim>& aim = std::nullopt);

}  // namespace lockbench
