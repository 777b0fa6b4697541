// SPDX-License-Identifier: Apache-2.0

// lockbench-sim: the simulated engine of `lockbench stress`. It checks the shipped locks.

#include "harness/plugin/c_offer.h"
#include "harness/stress/engines/engine_main.h"
#include "harness/stress/engines/net_check.h"
#include "harness/stress/engines/sim_registry.h"
#include "harness/stress/explore/search/engine.h"
#include "harness/stress/simulated/foreign_calls.h"

int main(int count, char** words) {
  using namespace lockbench::stress;
  return lockbench::engine_main({words, static_cast<std::size_t>(count)},
                                {.registry = explore::stress_registry,
                                 .test_lock = explore::test_lock,
                                 .check_net = lockbench::net_check(),
                                 .of_c = lockbench::c_offer,
                                 .prepare = explore::prepare_plugin});
}
