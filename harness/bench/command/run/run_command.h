// SPDX-License-Identifier: Apache-2.0

// `lockbench run`: measures a preset and writes a folder with rows.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/progress.h"
#include "harness/bench/command/run/machine_watch.h"
#include "harness/bench/plan/preset.h"
#include "harness/bench/plan/shard.h"

namespace lockbench {

struct RunOptions {
  std::optional<std::string> preset;  // name or file; absent: only the overrides define the plan
  Overrides overrides;
  std::optional<std::filesystem::path> out;     // the run's folder
  std::optional<std::filesystem::path> resume;  // continues the run in this folder
  std::optional<std::string> save_baseline;     // the run becomes the baseline of this name
  std::optional<Shard> shard;                   // measures this part of the plan, in `out`
  std::optional<double> precision;        // adds blocks until medians are known this precisely
  double same_within = 0.05;              // primitives are the same below this share of difference
  std::optional<Nanoseconds> budget;      // for the whole run; absent: default_budget()
  Nanoseconds patience = kUsualPatience;  // how long it waits for a quiet machine
  std::vector<std::string> services;      // servers for locks of services: NAME=HOST:PORT
  bool up_to_processors = false;          // leaves out cells with more threads than processors
  bool processes = false;                 // the workers are processes instead of threads
  bool count_events = false;              // cycles, cache misses, … of each trial
  bool dry_run = false;
  bool verbose = false;  // with dry_run: the trials, too
  ProgressStyle progress = ProgressStyle::kAuto;
  std::string format = "text";     // of the comparison at its end
  std::vector<std::string> words;  // the command line, for meta.json
  std::string program;             // how it was called, for the commands in messages
};

// Returns the exit code: 0 if every trial has its row, 4 if none of these is valid, 2 for bad
// input, 1 if rows could not be written or processes could not be started, 129, 130 or 143 if
// interrupted. In every case, finished rows are on disk, and a message says how to resume.
int run_command(const RunOptions& options);

}  // namespace lockbench
