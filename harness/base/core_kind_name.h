// SPDX-License-Identifier: Apache-2.0

// Names of the kinds of cores: of this machine, and of models of machines. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lockbench {

// `fast` is the fastest of a machine, `slow` its slowest; between them `middle`, or `middle2`,
// `middle3` if there are several. `rank`: from 0, the fastest.
inline std::string name_of_core_kind(std::size_t rank, std::size_t kinds) {
  if (rank == 0) return "fast";
  if (rank + 1 == kinds) return "slow";
  return rank == 1 ? "middle" : "middle" + std::to_string(rank);
}

// True if some machine has a kind of this name: `fast`, `slow`, `middle`, `middle2` and so on.
inline bool is_core_kind_name(std::string_view text) {
  constexpr std::string_view kMiddle = "middle";
  if (text == "fast" || text == "slow") return true;
  if (!text.starts_with(kMiddle)) return false;
  return text.find_first_not_of("0123456789", kMiddle.size()) == text.npos;
}

}  // namespace lockbench
