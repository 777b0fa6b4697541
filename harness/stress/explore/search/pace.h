// SPDX-License-Identifier: Apache-2.0

// Pace: how many steps the acts of random programs have taken so far. PCT spreads its changes over
// the steps that are expected of an execution: if these are far too many, no change falls into it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "harness/stress/litmus/program.h"

namespace lockbench::stress::explore {

class Pace {
 public:
  void add(const LitmusProgram& program, std::uint64_t steps) {
    acts_ += program.acts();
    steps_ += steps;
  }
  std::uint64_t steps_of(const LitmusProgram& program) const {
    return std::max<std::uint64_t>(program.acts() * steps_ / acts_, 1);
  }

 private:
  std::uint64_t acts_ = 10;
  std::uint64_t steps_ = 100;
};

}  // namespace lockbench::stress::explore
