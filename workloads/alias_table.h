// SPDX-License-Identifier: Apache-2.0

// AliasTable: draws indices with given weights in constant time.
//
// Guarantees   index i comes with probability weights[i] / sum; O(n) to build, O(1) to draw.
// Requires     at least one weight; none negative; a positive sum.
// Source       M. D. Vose, "A Linear Algorithm for Generating Random Numbers with a Given
//              Distribution", 1991.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/random.h"

namespace lockbench {

class AliasTable {
 public:
  explicit AliasTable(const std::vector<double>& weights);

  std::uint32_t draw(Random& random) const {
    const std::uint64_t column = random.below(columns_.size());
    const Column& c = columns_[column];
    return random.unit() < c.keep ? static_cast<std::uint32_t>(column) : c.alias;
  }

 private:
  struct Column {
    double keep = 1;          // probability that the column means its own index
    std::uint32_t alias = 0;  // the index that it means otherwise
  };

  std::vector<Column> columns_;
};

}  // namespace lockbench
