// SPDX-License-Identifier: Apache-2.0

// Says whether a memory order acquires or releases.
#pragma once

#include <atomic>

namespace lockbench::stress::explore {

constexpr bool acquires(std::memory_order order) {
  return order != std::memory_order_relaxed && order != std::memory_order_release;
}

constexpr bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

}  // namespace lockbench::stress::explore
