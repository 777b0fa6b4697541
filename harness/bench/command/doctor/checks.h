// SPDX-License-Identifier: Apache-2.0

// Checks: the parts of diagnose(). Each one reads some facts of the machine.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>

#include "harness/bench/command/doctor/diagnosis.h"

namespace lockbench::internal {

// The result is absent if the facts that the check needs are unknown.
using Check = std::optional<Finding> (*)(const SystemFacts&);

std::span<const Check> speed_checks();         // clock, cores, this program's build
std::span<const Check> interference_checks();  // other processes, the host, limits of CPU time
std::span<const Check> resource_checks();      // memory, addresses, threads, tools

inline Finding fine(std::string name, std::string what) {
  return {.severity = Severity::kFine, .name = std::move(name), .what = std::move(what)};
}

}  // namespace lockbench::internal
