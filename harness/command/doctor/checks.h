// SPDX-License-Identifier: Apache-2.0

// Checks: the parts of diagnose(). Each looks at one fact of the machine. They are grouped by
// cause.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>

#include "harness/command/doctor/diagnosis.h"

namespace lockbench::internal {

// Absent when the facts do not hold what it looks at.
using Check = std::optional<Finding> (*)(const SystemFacts&);

std::span<const Check> speed_checks();  // speed_checks.cc: clock, cores, this program's build
std::span<const Check>
interference_checks();  // interference_checks.cc: others, the host, limits of CPU
std::span<const Check> resource_checks();  // resource_checks.cc: memory, addresses, threads, tools

inline Finding fine(std::string name, std::string what) {
  return {.severity = Severity::kFine, .name = std::move(name), .what = std::move(what)};
}

}  // namespace lockbench::internal
