// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/conformance/threads/net_check.h"
#include "harness/petri/tests/mutant_engine.h"
#include "tests/mutants/registry.h"

namespace lockbench::mutants {

MutantEngine mutant_engine() {
  return {.name = "real",
          .native = true,
          .registry = for_real,
          .check_conformance = stress::threads::check_conformance};
}

}  // namespace lockbench::mutants
