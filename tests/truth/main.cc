// SPDX-License-Identifier: Apache-2.0

// lockbench-truth: the command `lockbench`, with known locks beside the others.
#include <string>
#include <vector>

#include "harness/bench/catalog/catalog.h"
#include "harness/program/program.h"
#include "tests/truth/known_subjects.h"

int main(int argc, char** argv) {
  lockbench::add_known_subjects(lockbench::Catalog::standard_for_extension());
  return lockbench::run_program(lockbench::contents_of_program(),
                                std::vector<std::string>(argv, argv + argc));
}
