// SPDX-License-Identifier: Apache-2.0

// `lockbench advise`: which primitive for one case.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/command/advise/advice_case.h"
#include "harness/command/run/machine_watch.h"
#include "harness/command/run/progress.h"

namespace lockbench {

struct AdviseOptions {
  AdviceCase wanted;  // of 0 threads: asks for it on the terminal
  Nanoseconds budget = std::chrono::seconds(30);
  Nanoseconds patience = kUsualPatience;     // how long it waits for a quiet machine
  std::optional<std::filesystem::path> run;  // answers from this one; absent: measures
  std::optional<std::filesystem::path> out;  // the folder of what it measures
  std::string format = "text";
  ProgressStyle progress = ProgressStyle::kAuto;
  std::vector<std::string> words;  // the command line, for meta.json
  std::string program;             // as it was called, for what is to be typed next
};

// Returns the exit code: 0 advised, 1 it could not be measured or written, 2 bad input, 4 nothing
// that was measured will do, 129, 130 or 143 interrupted.
int advise_command(const AdviseOptions& options);

}  // namespace lockbench
