// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/record/stamp.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockbench {
namespace {

using testing::MatchesRegex;

TEST(Stamp, TimesAreUtcToTheSecond) {
  EXPECT_THAT(utc_now(), MatchesRegex("[0-9]+-[0-9]+-[0-9]+T[0-9]+:[0-9]+:[0-9]+Z"));
  EXPECT_EQ(utc_now().size(), std::string("2025-01-31T23:59:59Z").size());
}

TEST(Stamp, ARunIsNamedByTimePresetAndChance) {
  EXPECT_THAT(new_run_id("quick"), MatchesRegex("[0-9]+-[0-9]+-quick-[0-9a-f]+"));
}

TEST(Stamp, WhateverThePresetIsCalledTheNameIsFitForAFolder) {
  EXPECT_THAT(new_run_id("../my plan.toml"), MatchesRegex("[0-9]+-[0-9]+----my-plan-toml-.*"));
  EXPECT_LT(new_run_id(std::string(1000, 'x')).size(), 100u);
}

}  // namespace
}  // namespace lockbench
