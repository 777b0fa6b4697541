// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/conformance/processes/net_check.h"
#include "harness/petri/tests/mutant_engine.h"
#include "tests/mutants/registry.h"

namespace lockbench::mutants {

MutantEngine mutant_engine() {
  return {.name = "proc",
          .registry = for_proc,
          .check_conformance = stress::processes::check_conformance};
}

}  // namespace lockbench::mutants
