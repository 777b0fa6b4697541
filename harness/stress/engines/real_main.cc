// SPDX-License-Identifier: Apache-2.0

// lockbench-real: the engine of threads of `lockbench stress`. It checks the shipped locks.

#include "harness/plugin/c_offer.h"
#include "harness/stress/engines/engine_main.h"
#include "harness/stress/engines/net_check.h"
#include "harness/stress/engines/real_registry.h"
#include "harness/stress/threads/engine.h"

int main(int count, char** words) {
  using namespace lockbench::stress;
  return lockbench::engine_main({words, static_cast<std::size_t>(count)},
                                {.registry = threads::stress_registry,
                                 .test_lock = threads::test_lock,
                                 .check_net = lockbench::net_check(),
                                 .tests = lockbench::tests_between_threads,
                                 .of_c = lockbench::c_offer});
}
