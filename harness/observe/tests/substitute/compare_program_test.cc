// SPDX-License-Identifier: Apache-2.0

#include <map>

#include <gtest/gtest.h>

#include "harness/observe/command/program_run.h"

namespace lockbench::internal {
namespace {

TEST(OrderInBlock, EachLockIsEquallyOftenAtEachPositionAndAfterEachOther) {
  std::map<std::pair<std::size_t, std::size_t>, int> at;
  std::map<std::pair<std::size_t, std::size_t>, int> after;
  for (std::uint32_t block = 0; block < 6; ++block) {
    const std::vector<std::size_t> order = order_in_block(3, block);
    for (std::size_t i = 0; i < 3; ++i) ++at[{i, order[i]}];
    for (std::size_t i = 1; i < 3; ++i) ++after[{order[i - 1], order[i]}];
  }
  EXPECT_EQ(at.size(), 9U);
  for (const auto& [position, times] : at) EXPECT_EQ(times, 2);
  EXPECT_EQ(after.size(), 6U);
  for (const auto& [pair, times] : after) EXPECT_EQ(times, 2);
}

absl::StatusOr<double> number_in(const std::string& text, const std::string& expression) {
  return internal::number_in(text, *Expression::parse(expression));
}

TEST(NumberIn, TheLastMatchCountsAndItsGroupIsTheNumber) {
  EXPECT_EQ(*number_in("TPS: 10\nTPS: 12.5\n", "TPS: ([0-9.]+)"), 12.5);
  EXPECT_EQ(*number_in("took 1,234,567 ms", "[0-9,]+"), 1234567);
  EXPECT_EQ(*number_in("Zeit: 1,5 s\nZeit: 1,25 s\n", "Zeit: ([0-9,.]+) s"), 1.25);
}

TEST(NumberIn, SaysWhatIsWrong) {
  EXPECT_EQ(number_in("nothing", "[0-9]+").status().message(), "nothing matches '[0-9]+'");
  EXPECT_EQ(number_in("it took inf s", "took (.+) s").status().message(),
            "'inf' is no finite number above 0; it is what 'took (.+) s' matches");
}

}  // namespace
}  // namespace lockbench::internal
