// SPDX-License-Identifier: Apache-2.0

// A preset that lockbench ships, with its plan. The program is compiled with LOCKBENCH_PRESETS.
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "harness/bench/plan/expand.h"
#include "harness/bench/plan/limits.h"
#include "harness/bench/plan/preset_file.h"
#include "tests/base/message_of.h"

namespace lockbench {

// As if all primitives ran with all workloads: tests/command/test_help.py has the real catalog.
inline absl::StatusOr<CellTraits> any_cell(const Cell& cell) {
  const std::string& name = cell.primitive.name;
  const bool leases = name.starts_with("lease") || name.starts_with("random_mutexes");
  return CellTraits{
      .holders_of_a_key = leases ? 10u : 1u, .one_lock = name == "global", .processors = 2};
}

struct Shipped {
  Preset preset;
  Plan plan;
  double expected_s = 0;
};

inline Shipped shipped(const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(LOCKBENCH_PRESETS) / (name + ".toml");
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  const auto preset = parse_preset(text.str(), name + ".toml");
  EXPECT_EQ(message_of(preset), "OK");
  if (!preset.ok()) return {};
  const auto plan = expand(*preset, any_cell);
  EXPECT_EQ(message_of(plan), "OK");
  if (!plan.ok()) return {};
  Shipped result{.preset = *preset, .plan = *plan};
  for (const Trial& trial : plan->trials) {
    result.expected_s +=
        std::chrono::duration<double>(expected_duration(trial.cell, any_cell(trial.cell).value()))
            .count();
  }
  return result;
}

}  // namespace lockbench
