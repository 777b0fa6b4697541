// SPDX-License-Identifier: Apache-2.0

// The candidates where other libraries are not at hand, or not what is tested.
#include "tests/primitives/candidates_of.h"
#include "tests/primitives/our_primitives.h"

namespace lockbench {

const std::vector<Candidate>& candidates() {
  static const std::vector<Candidate> all = candidates_of<Ours>();
  return all;
}

}  // namespace lockbench
