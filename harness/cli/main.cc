// SPDX-License-Identifier: Apache-2.0

// lockbench: measures one primitive with one workload at a time, in a process of its own, and
// writes one row for each trial.
//
//   run             preset ─▶ plan ─▶ trial, one child process each ─▶ row ─▶ trials.csv
//   trial           the code in the child process: a trial as JSON in, a sample as JSON out
//   advise          one case ─▶ the few cells that matter ─▶ which primitive
//   list            the names that can be used on the command line
//   plot, compare   trials.csv ─▶ pictures, tables (Python)
//   report          trials.csv ─▶ one page (Python)
//   doctor          what disturbs measurements on this machine
//   model           the Petri net of a lock: searches it for faults
#include <string>
#include <vector>

#include "harness/cli/program.h"

int main(int argc, char** argv) {
  return lockbench::run_program(std::vector<std::string>(argv, argv + argc));
}
