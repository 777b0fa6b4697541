// SPDX-License-Identifier: Apache-2.0

// lockbench-sim-mutants: the simulated engine with the broken locks before it.

#include "harness/stress/engine_program.h"
#include "harness/stress/explore/search/engine.h"
#include "tests/mutants/registry.h"

int main(int count, char** words) {
  using namespace lockbench;
  return stress::run_engine_program({words, static_cast<std::size_t>(count)}, mutants::for_sim(),
                                    stress::explore::test_lock);
}
