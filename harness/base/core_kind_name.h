// SPDX-License-Identifier: Apache-2.0

// Names of the kinds of cores: of this machine, and of models of machines. Pure.
#pragma once

#include <cstddef>
#include <string>

namespace lockbench {

// `fast` is the fastest of a machine, `slow` its slowest; between them `middle`, or `middle2`,
// `middle3` if there are several. `rank`: from 0, the fastest.
inline std::string name_of_core_kind(std::size_t rank, std::size_t kinds) {
  if (rank == 0) return "fast";
  if (rank + 1 == kinds) return "slow";
  return rank == 1 ? "middle" : "middle" + std::to_string(rank);
}

}  // namespace lockbench
