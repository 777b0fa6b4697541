// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/plan/precision.h"

#include <vector>

#include <gtest/gtest.h>

#include "harness/base/median.h"

namespace lockbench {
namespace {

// Ranks after Conover's table: with 6 to 8 values the extremes, with 9 to 11 the next ones in.
TEST(Precision, TheIntervalRunsBetweenTheTabulatedRanks) {
  EXPECT_DOUBLE_EQ(*relative_half_width({95, 97, 99, 101, 103, 105}), 0.05);
  EXPECT_DOUBLE_EQ(*relative_half_width({50, 97, 98, 99, 100, 101, 102, 103, 900}), 0.03);
}

TEST(Precision, OnlyWideAndUnknownCellsNeedMoreBlocks) {
  Cell narrow;
  narrow.threads = 1;
  Cell wide;
  wide.threads = 2;
  Cell unknown;
  unknown.threads = 3;
  const std::vector<CellFigures> measured{
      {.cell = narrow, .figures = {100, 100, 100, 101, 101, 101}},
      {.cell = wide, .figures = {80, 90, 100, 101, 110, 120}},
      {.cell = unknown, .figures = {100, 100}},
  };
  EXPECT_EQ(imprecise_cells(measured, 0.02), (std::vector<Cell>{wide, unknown}));
  EXPECT_EQ(imprecise_cells(measured, 0.5), (std::vector<Cell>{unknown}));
}

}  // namespace
}  // namespace lockbench
