// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/sim/conformance.h"
#include "tests/mutants/lineup.h"
#include "tests/petri/mutant_engine.h"

namespace lockbench::mutants {

MutantEngine mutant_engine() {
  return {.name = "sim", .lineup = for_sim, .hold_against_net = stress::sim::hold_against_net};
}

}  // namespace lockbench::mutants
