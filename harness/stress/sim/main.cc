// SPDX-License-Identifier: Apache-2.0

// lockbench-sim: the simulated engine of `lockbench stress`, with the shipped locks before it.

#include "harness/plugin/engine_main.h"
#include "harness/stress/sim/engine.h"
#include "harness/stress/sim/lineup.h"

int main(int count, char** words) {
  using namespace lockbench::stress;
  return lockbench::engine_main({words, static_cast<std::size_t>(count)}, sim::lineup,
                                sim::investigate);
}
