// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/oracles/failure.h"

namespace lockbench::stress {

std::string_view name_of(Oracle oracle) {
  static constexpr std::string_view kNames[kOracles] = {
      "exclusion", "ordering",     "conservation", "lease",    "model", "token", "cycle",
      "progress",  "independence", "residue",      "lifetime", "crash", "net",   "fairness"};
  return kNames[static_cast<std::size_t>(oracle)];
}

}  // namespace lockbench::stress
