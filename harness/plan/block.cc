// SPDX-License-Identifier: Apache-2.0

#include "harness/plan/block.h"

#include <numeric>
#include <vector>

#include "harness/plan/sweep_fields.h"
#include "workloads/random.h"

namespace lockbench {

void append_block(Plan& plan, std::span<const Cell> cells) {
  const std::uint32_t block = plan.trials.empty() ? 0 : plan.trials.back().block + 1;
  const std::uint64_t seed = derive_seed(plan.seed, block) & kSeedRange.most;
  std::vector<std::size_t> order(cells.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random(seed).shuffle(std::span(order));
  std::uint32_t position = 0;
  for (const std::size_t index : order) {
    plan.trials.push_back({.number = static_cast<std::uint32_t>(plan.trials.size()),
                           .block = block,
                           .position = position++,
                           .seed = seed,
                           .cell = cells[index]});
  }
  plan.blocks = block + 1;
}

}  // namespace lockbench
