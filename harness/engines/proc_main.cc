// SPDX-License-Identifier: Apache-2.0

// lockbench-proc: the engine of processes of `lockbench stress`. It checks the shipped locks.

#include "harness/engines/proc_registry.h"
#include "harness/stress/engine_program.h"
#include "harness/stress/processes/engine.h"

int main(int count, char** words) {
  using namespace lockbench::stress;
  return run_engine_program({words, static_cast<std::size_t>(count)}, processes::stress_registry(),
                            processes::test_lock);
}
