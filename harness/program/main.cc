// SPDX-License-Identifier: Apache-2.0

// lockbench: measures one primitive with one workload at a time, in a process of its own, and
// writes one row for each trial.
//
//   preset.toml ─▶ plan ─▶ trial, a child process ─▶ sample ─▶ row ─▶ trials.csv
//
// Each command lies in a folder of its own, which adds it to the list (harness/cli/command.h).
#include <string>
#include <vector>

#include "harness/program/all_commands.h"
#include "harness/program/program.h"

int main(int argc, char** argv) {
  return lockbench::run_program(lockbench::all_commands(),
                                std::vector<std::string>(argv, argv + argc));
}
