// SPDX-License-Identifier: Apache-2.0

// Target: a class of machines that presets are sized for, identified by the name of the processor.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "harness/bench/record/machine.h"

namespace lockbench {

struct Target {
  std::string_view name;  // as it occurs in the name of the CPU model
  std::uint32_t cores = 0;
  std::uint32_t hardware_threads = 0;

  bool operator==(const Target&) const = default;
};

inline constexpr std::array<Target, 2> kTargets{{
    {.name = "i7-1165G7", .cores = 4, .hardware_threads = 8},
    {.name = "i5-11600K", .cores = 6, .hardware_threads = 12},
}};

// Null if no target has that name.
const Target* find_target(std::string_view name);

struct TargetMatch {
  bool matches = false;
  std::string note;  // empty if it matches; else one sentence for users

  bool operator==(const TargetMatch&) const = default;
};

// The machine matches if its processor, cores and hardware threads equal the target's. An
// unknown property does not match.
TargetMatch match_target(const Machine& machine, const Target& target);

}  // namespace lockbench
