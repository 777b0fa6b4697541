// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/proc/conformance.h"
#include "tests/mutants/lineup.h"
#include "tests/petri/mutant_engine.h"

namespace lockbench::mutants {

MutantEngine mutant_engine() {
  return {.name = "proc", .lineup = for_proc, .hold_against_net = stress::proc::hold_against_net};
}

}  // namespace lockbench::mutants
