// SPDX-License-Identifier: Apache-2.0

// lockbench: measures one primitive with one workload at a time, in a process of its own, and
// writes one row for each trial.
//
//   preset.toml ─▶ plan ─▶ trial, a child process ─▶ sample ─▶ row ─▶ trials.csv
//
// lockbench-observe and others: what else it can do. Each command lies in a folder of its own,
// whose CMakeLists.txt says in which program it is (lockbench_add_program()).
#include <string>
#include <vector>

#include "harness/program/program.h"

int main(int argc, char** argv) {
  return lockbench::run_program(lockbench::contents_of_program(),
                                std::vector<std::string>(argv, argv + argc));
}
