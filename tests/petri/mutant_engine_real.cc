// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/real/conformance.h"
#include "tests/mutants/lineup.h"
#include "tests/petri/mutant_engine.h"

namespace lockbench::mutants {

MutantEngine mutant_engine() {
  return {.name = "real",
          .native = true,
          .lineup = for_real,
          .hold_against_net = stress::real::hold_against_net};
}

}  // namespace lockbench::mutants
