// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/record/row_check.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "harness/bench/record/schema.h"
#include "tests/record/example_run.h"

namespace lockbench {
namespace {

using Cells = std::map<std::string, std::string>;

std::string difference(const Cells& cells) {
  const Plan plan = example_meta().plan;
  return RowCheck(kExampleRun, plan)
      .difference([&](std::string_view column) -> std::optional<std::string_view> {
        const auto found = cells.find(std::string(column));
        if (found == cells.end()) return std::nullopt;
        return found->second;
      });
}

TEST(RowCheck, ARowOfTheRunPasses) {
  EXPECT_EQ(difference(cells_of(example_row(2))), "");
}

TEST(RowCheck, ARowOfAnotherRunOrPlanIsNamed) {
  for (const auto& [column, said] : std::map<std::string, std::string>{
           {"run_id", "run_id is \"7\" where the run's is \"20250131T235959Z-7f3a\""},
           {"trial", "trial is \"7\" where the plan has 0 to 2"},
           {"block", "block is \"7\" where the plan has \"0\""},
           {"seed", "seed is \"7\" where the plan has \"1\""},
           {"primitive", "primitive is \"7\" where the plan has \"striped\""},
           {"params", "params is \"7\" where the plan has \"lock=std,stripes=64\""},
           {"workload", "workload is \"7\" where the plan has \"counter\""},
           {"scenario", "scenario is \"7\" where the plan has \"\""},
           {"threads", "threads is \"7\" where the plan has \"8\""},
           {"keys", "keys is \"7\" where the plan has \"1000\""}}) {
    Cells cells = cells_of(example_row(2));
    cells[column] = "7";
    EXPECT_EQ(difference(cells), said);
  }
}

TEST(RowCheck, WhatATableHasNoColumnForIsNotChecked) {
  EXPECT_EQ(difference({{"trial", "2"}}), "");
  EXPECT_EQ(difference({}), "trial is \"\" where the plan has 0 to 2");
}

}  // namespace
}  // namespace lockbench
