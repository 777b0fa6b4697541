// SPDX-License-Identifier: Apache-2.0

// VectorClock: how far each thread's events happen before a point in one thread.
//
// Source  C. Fidge, "Timestamps in Message-Passing Systems That Preserve the Partial Ordering",
//         1988; F. Mattern, "Virtual Time and Global States of Distributed Systems", 1989.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace lockbench::stress::explore {

inline constexpr std::size_t kMaxThreads = 16;

struct VectorClock {
  std::array<std::uint32_t, kMaxThreads> at{};

  void join(const VectorClock& other) {
    for (std::size_t i = 0; i < kMaxThreads; ++i) at[i] = std::max(at[i], other.at[i]);
  }
};

}  // namespace lockbench::stress::explore
