// SPDX-License-Identifier: Apache-2.0

#include "workloads/alias_table.h"

#include <numeric>

namespace lockbench {

AliasTable::AliasTable(const std::vector<double>& weights) : columns_(weights.size()) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  const double scale = static_cast<double>(weights.size()) / sum;

  // Each column has room for 1. The excess of heavy indices fills up the light ones.
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
  // The remaining columns are 1 except for rounding, so they keep Column's defaults.
}

}  // namespace lockbench
