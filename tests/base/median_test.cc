// SPDX-License-Identifier: Apache-2.0

#include "harness/base/median.h"

#include <gtest/gtest.h>

namespace lockbench {
namespace {

TEST(Median, IsTheMiddleValueOrTheMeanOfTheTwoThere) {
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({9, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 100}), 3);
}

TEST(MedianInterval, IsAbsentWhereOneValueTellsNothingOfTheSpread) {
  EXPECT_EQ(median_interval({}), std::nullopt);
  EXPECT_EQ(median_interval({1}), std::nullopt);
}

TEST(MedianInterval, OfFewValuesIsTheirExtremesAndSaysWhatTheseCover) {
  EXPECT_EQ(median_interval({2, 1}), (MedianInterval{.low = 1, .high = 2, .confidence = 0.5}));
  EXPECT_EQ(median_interval({3, 1, 2, 5, 4}),
            (MedianInterval{.low = 1, .high = 5, .confidence = 0.9375}));
}

// Ranks after Conover's table: from 9 values on the extremes are not needed.
TEST(MedianInterval, LeavesOutExtremesAsSoonAsItMay) {
  EXPECT_EQ(median_interval({1, 2, 3, 4, 5, 6, 7, 90})->high, 90);
  const MedianInterval nine = *median_interval({-50, 2, 3, 4, 5, 6, 7, 8, 90});
  EXPECT_EQ(nine.low, 2);
  EXPECT_EQ(nine.high, 8);
  EXPECT_NEAR(nine.confidence, 0.961, 0.0005);
}

TEST(MedianInterval, IsWiderWhereMoreConfidenceIsAskedFor) {
  const std::vector<double> nine{1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(median_interval(nine, 0.99)->low, 1);
  // The second from the middle misses the median once in 5.6 times, the first once in 2.
  EXPECT_EQ(median_interval(nine, 0.5)->low, 3);
  EXPECT_EQ(median_interval(nine, 0.49)->low, 4);
}

TEST(MedianInterval, NeedsSixValuesFor95Percent) {
  EXPECT_EQ(least_values_for(0.95), 6u);
  EXPECT_EQ(least_values_for(0.99), 8u);
}

}  // namespace
}  // namespace lockbench
