// SPDX-License-Identifier: Apache-2.0

#include "workloads/holder_board.h"

#include <vector>

#include <gtest/gtest.h>

namespace lockbench {
namespace {

std::vector<std::uint64_t> held_on(const HolderBoard& board) {
  std::vector<std::uint64_t> keys;
  board.for_each_held([&](std::uint64_t key) { keys.push_back(key); });
  return keys;
}

TEST(HolderBoard, ShowsWhatIsHeldAndNothingElse) {
  HolderBoard board(3);
  EXPECT_TRUE(held_on(board).empty());
  board.hold(2, 0);
  board.hold(0, 7);
  EXPECT_EQ(held_on(board), (std::vector<std::uint64_t>{7, 0}));
  board.leave(0);
  EXPECT_EQ(held_on(board), (std::vector<std::uint64_t>{0}));
  board.leave(2);
  EXPECT_TRUE(held_on(board).empty());
}

}  // namespace
}  // namespace lockbench
