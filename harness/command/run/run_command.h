// SPDX-License-Identifier: Apache-2.0

// `lockbench run`: from a preset to a folder of rows.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/command/run/machine_watch.h"
#include "harness/command/run/progress.h"
#include "harness/plan/preset.h"
#include "harness/plan/shard.h"

namespace lockbench {

struct RunOptions {
  std::optional<std::string> preset;  // name or file; absent: the overrides alone say what to run
  Overrides overrides;
  std::optional<std::filesystem::path> out;     // the run's folder
  std::optional<std::filesystem::path> resume;  // goes on with the run in this folder
  std::optional<std::string> save_baseline;     // the run becomes the baseline of this name
  std::optional<Shard> shard;                   // measures this part of the plan, in `out`
  std::optional<double> precision;              // adds blocks until medians are known to this share
  double same_within = 0.05;              // below this share of difference, primitives are the same
  std::optional<Nanoseconds> budget;      // for the whole run; absent: default_budget()
  Nanoseconds patience = kUsualPatience;  // how long it waits for a quiet machine
  bool dry_run = false;
  bool verbose = false;  // with dry_run: the trials, too
  ProgressStyle progress = ProgressStyle::kAuto;
  std::string format = "text";     // of the comparison at its end
  std::vector<std::string> words;  // the command line, for meta.json
  std::string program;             // as it was called, for what is to be typed next
};

// Returns the exit code: 0 when every trial has its row, 4 when none of these is valid, 2 for bad
// input, 1 when rows could not be written or processes not be started, 129, 130 or 143 when
// interrupted. Whatever the end, finished rows are on disk, and how to resume is said.
int run_command(const RunOptions& options);

}  // namespace lockbench
