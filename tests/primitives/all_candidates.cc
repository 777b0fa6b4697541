// SPDX-License-Identifier: Apache-2.0

// The candidates: ours and those of others.
#include "tests/primitives/candidates_of.h"
#include "tests/primitives/primitive_list.h"

namespace lockbench {

const std::vector<Candidate>& candidates() {
  static const std::vector<Candidate> all =
      candidates_of<Ours, Baselines, AsPublished, OpaqueBaselines>();
  return all;
}

}  // namespace lockbench
