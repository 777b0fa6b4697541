// SPDX-License-Identifier: Apache-2.0

#include "workloads/alias_table.h"

#include <numeric>

namespace lockbench {

AliasTable::AliasTable(const std::vector<double>& weights) : columns_(weights.size()) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  const double scale = static_cast<double>(weights.size()) / sum;

  // Each column has room for 1; what a heavy index has too much fills up the light ones.
  std::vector<double> left(weights.size());
  std::vector<std::uint32_t> light;
  std::vector<std::uint32_t> heavy;
  for (std::uint32_t i = 0; i < weights.size(); ++i) {
    left[i] = weights[i] * scale;
    (left[i] < 1 ? light : heavy).push_back(i);
  }
  while (!light.empty() && !heavy.empty()) {
    const std::uint32_t giver = heavy.back();
    const std::uint32_t taker = light.back();
    light.pop_back();
    columns_[taker] = {.keep = left[taker], .alias = giver};
    left[giver] -= 1 - left[taker];
    if (left[giver] < 1) {
      heavy.pop_back();
      light.push_back(giver);
    }
  }
  // What remains is 1 up to rounding, and stands for itself (Column's defaults).
}

}  // namespace lockbench
