// SPDX-License-Identifier: Apache-2.0

#include "harness/command/run/readable.h"

#include <gtest/gtest.h>

namespace lockbench {
namespace {

TEST(Readable, HasThreeSignificantDigits) {
  EXPECT_EQ(readable_digits(1234), "1,230");
  EXPECT_EQ(readable_digits(0.01234), "0.0123");
  EXPECT_EQ(readable_digits(9.996), "10.0");
  EXPECT_EQ(readable_digits(0), "0");
  EXPECT_EQ(readable_digits(-1234567), "-1,230,000");
  EXPECT_EQ(readable_digits(0.421, 2), "0.42");
}

TEST(Readable, GivesCountsTimesAndSizesTheirUnits) {
  EXPECT_EQ(readable_count(4211000), "4.21 M");
  EXPECT_EQ(readable_count(12), "12.0");
  EXPECT_EQ(readable_count(999.6), "1.00 k");
  EXPECT_EQ(readable_ns(310e6), "310 ms");
  EXPECT_EQ(readable_ns(1500), "1.50 µs");
  EXPECT_EQ(readable_ns(0.5), "0.500 ns");
  EXPECT_EQ(readable_bytes(65536 + 64), "64.1 KiB");
  EXPECT_EQ(readable_bytes(65536), "64 KiB");
  EXPECT_EQ(readable_bytes(64), "64 B");
  EXPECT_EQ(readable_bytes(400), "400 B");
  EXPECT_EQ(exact_bytes(1000000), "1 MB");
  EXPECT_EQ(exact_bytes(65536), "64 KiB");
  EXPECT_EQ(exact_bytes(1001), "1,001 B");
  EXPECT_EQ(readable_ratio(2.31), "2.31×");
}

TEST(Readable, CountsThings) {
  EXPECT_EQ(readable_whole(1234567), "1,234,567");
  EXPECT_EQ(readable_plural(1, "key"), "1 key");
  EXPECT_EQ(readable_plural(10000, "key"), "10,000 keys");
}

}  // namespace
}  // namespace lockbench
