// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/conformance/explore/net_check.h"
#include "harness/petri/tests/mutant_engine.h"
#include "tests/mutants/registry.h"

namespace lockbench::mutants {

MutantEngine mutant_engine() {
  return {
      .name = "sim", .registry = for_sim, .check_conformance = stress::explore::check_conformance};
}

}  // namespace lockbench::mutants
