// SPDX-License-Identifier: Apache-2.0

// lockbench: one primitive × one workload, measured in a process of its own, a row at a time.
//
//   run             preset ─▶ plan ─▶ trial, one child process each ─▶ row ─▶ trials.csv
//   trial           the child's side: a trial as JSON in, a sample as JSON out
//   advise          one case ─▶ the few cells that matter ─▶ which primitive
//   list            what can be named
//   plot, compare   trials.csv ─▶ pictures, tables (Python)
//   report          trials.csv ─▶ one page (Python)
//   doctor          what disturbs measurements on this machine
//   model           the Petri net of a lock, searched for what can go wrong
#include <string>
#include <vector>

#include "harness/cli/program.h"

int main(int argc, char** argv) {
  return lockbench::run_program(std::vector<std::string>(argv, argv + argc));
}
