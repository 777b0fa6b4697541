// SPDX-License-Identifier: Apache-2.0

#include <utility>
#include <vector>

#include "tests/mutants/mutant.h"
#include "tests/mutants/registry.h"

namespace lockbench::mutants {

// With those that only weak memory breaks, which no processor of x86 shows.
std::vector<RegisteredLock> for_sim() {
  std::vector<Mutant> all = mutants();
  for (Mutant& mutant : mutants_of_weak_memory()) {
    mutant.entry.abilities.strong_try = !mutant.may_try_in_vain;
    all.push_back(std::move(mutant));
  }
  std::vector<RegisteredLock> registered;
  for (Mutant& mutant : all) {
    mutant.entry.expected_oracles = std::move(mutant.sim);
    mutant.entry.unseen.clear();
    registered.push_back(std::move(mutant.entry));
  }
  return registered;
}

}  // namespace lockbench::mutants
