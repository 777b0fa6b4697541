// SPDX-License-Identifier: Apache-2.0

// lockbench-real: the real engine of `lockbench stress`, with the shipped locks before it.

#include "harness/plugin/c_offer.h"
#include "harness/plugin/engine_main.h"
#include "harness/stress/real/engine.h"
#include "harness/stress/real/lineup.h"

int main(int count, char** words) {
  using namespace lockbench::stress;
  return lockbench::engine_main({words, static_cast<std::size_t>(count)}, real::lineup,
                                real::investigate, lockbench::c_offer);
}
