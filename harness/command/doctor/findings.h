// SPDX-License-Identifier: Apache-2.0

// What diagnose() is made of: one check for each thing that is looked at, by where the trouble
// lies.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>

#include "harness/command/doctor/diagnosis.h"

namespace lockbench::internal {

// Absent when the vitals do not hold what it looks at.
using Check = std::optional<Finding> (*)(const Vitals&);

std::span<const Check> speed_checks();    // findings_speed.cc: clock, cores, this program's build
std::span<const Check> company_checks();  // findings_company.cc: others, the host, limits of CPU
std::span<const Check> room_checks();     // findings_room.cc: memory, addresses, threads, tools

inline Finding fine(std::string name, std::string what) {
  return {.severity = Severity::kFine, .name = std::move(name), .what = std::move(what)};
}

}  // namespace lockbench::internal
