// SPDX-License-Identifier: Apache-2.0

// Locks whose names the environment chooses, separated by blanks; and what is printed meanwhile.
#include <cstdio>
#include <cstdlib>
#include <lockbench/plugin.h>
#include <mutex>
#include <sstream>
#include <string>

LOCKBENCH_PLUGIN(locks) {
  if (const char* const says = std::getenv("LOCKBENCH_TEST_SAYS")) std::puts(says);
  const char* const names = std::getenv("LOCKBENCH_TEST_NAMES");
  std::istringstream words(names == nullptr ? "named" : names);
  for (std::string name; std::getline(words, name, ' ');) {
    locks.add<std::mutex>(name, "std::mutex");
  }
}
