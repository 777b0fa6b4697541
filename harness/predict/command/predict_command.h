// SPDX-License-Identifier: Apache-2.0

// `lockbench predict`: predicts the cells of a preset for machines that are models, and writes a
// folder with rows. Other commands predict a plan of their own with it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/base/progress.h"
#include "harness/bench/command/run/session.h"
#include "harness/bench/plan/cell.h"
#include "harness/bench/plan/expand.h"
#include "harness/bench/plan/preset.h"

namespace lockbench {

struct PredictOptions {
  std::optional<std::string> preset;  // name or file; absent: only the overrides define the plan
  Overrides overrides;
  // Given: makes the plan, and neither the preset nor the overrides count. The check has the
  // processors of the machines; `kinds` are the names of the kinds of cores of the first of them,
  // the fastest first, empty if they are of one kind.
  std::function<absl::StatusOr<Plan>(const CellCheck&, const std::vector<std::string>& kinds)> plan;
  std::vector<std::string> machines;            // names, or files ending in .toml
  std::optional<std::filesystem::path> out;     // the run's folder
  std::optional<std::filesystem::path> resume;  // continues the run in this folder
  bool dry_run = false;
  ProgressStyle progress = ProgressStyle::kAuto;
  std::string format = "text";      // of the comparison at its end
  std::vector<std::string> words;   // the command line, for meta.json
  std::string program;              // how it was called, for the commands in messages
  std::string command = "predict";  // whose messages these are
  // The function that is called at the end instead of the comparison, and gives the exit code.
  std::function<int(const FinishedSession&)> finished = {};
};

// Returns the exit code, see run_command.h.
int predict_command(const PredictOptions& options);

}  // namespace lockbench
