// SPDX-License-Identifier: Apache-2.0

// Failure: what an oracle found wrong, as text. Evaluations: how often each oracle was evaluated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "harness/stress/oracles/registry.h"

namespace lockbench::stress {

struct Failure {
  Oracle oracle = Oracle::kExclusion;
  std::string what;  // one sentence: which thread, which key, what was expected
};

struct Evaluations {
  std::array<std::uint64_t, kOracles> times{};

  void count(Oracle oracle, std::uint64_t more = 1) {
    times[static_cast<std::size_t>(oracle)] += more;
  }
  std::uint64_t operator[](Oracle oracle) const { return times[static_cast<std::size_t>(oracle)]; }
  void add(const Evaluations& other) {
    for (std::size_t i = 0; i < kOracles; ++i) times[i] += other.times[i];
  }
};

}  // namespace lockbench::stress
