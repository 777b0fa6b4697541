// SPDX-License-Identifier: Apache-2.0

// Target: a machine class that presets are sized for, known by the name of its processor.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "harness/record/machine.h"

namespace lockbench {

struct Target {
  std::string_view name;  // as in the processor's model name
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
  std::string note;  // empty when it matches; else one sentence for people

  bool operator==(const TargetMatch&) const = default;
};

// It matches if processor, cores and hardware threads are the target's. What the machine does not
// tell does not match.
TargetMatch match_target(const Machine& machine, const Target& target);

}  // namespace lockbench
