// SPDX-License-Identifier: Apache-2.0

#include "workloads/key_names.h"

#include <set>

#include <gtest/gtest.h>

namespace lockbench {
namespace {

TEST(KeyNames, AreNumberedWithLeadingZeros) {
  const KeyNames names("user", 1001, "@example.com");
  EXPECT_EQ(names[0], "user0000@example.com");
  EXPECT_EQ(names[42], "user0042@example.com");
  EXPECT_EQ(names[1000], "user1000@example.com");
}

TEST(KeyNames, HaveAsManyDigitsAsTheLastOneNeeds) {
  EXPECT_EQ(KeyNames("k", 1, "")[0], "k0");
  EXPECT_EQ(KeyNames("k", 10, "")[9], "k9");
  EXPECT_EQ(KeyNames("k", 11, "")[9], "k09");
  EXPECT_EQ(KeyNames("", 11, "x")[10], "10x");
}

TEST(KeyNames, NoTwoAreEqual) {
  const KeyNames names("a", 2000, "z");
  std::set<std::string_view> seen;
  for (std::uint64_t key = 0; key < 2000; ++key) seen.insert(names[key]);
  EXPECT_EQ(seen.size(), 2000u);
}

}  // namespace
}  // namespace lockbench
