// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/record/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockbench {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Machine laptop() {
  return {.cpu_model = "11th Gen Intel(R) Core(TM) i7-1165G7 @ 2.80GHz",
          .cores = 4,
          .hardware_threads = 8};
}

TEST(Target, IsFoundByItsName) {
  ASSERT_NE(find_target("i5-11600K"), nullptr);
  EXPECT_EQ(find_target("i5-11600K")->hardware_threads, 12u);
  EXPECT_EQ(find_target("i5"), nullptr);
}

TEST(Target, MatchesItsMachine) {
  const TargetMatch match = match_target(laptop(), *find_target("i7-1165G7"));
  EXPECT_TRUE(match.matches);
  EXPECT_EQ(match.note, "");
}

TEST(Target, DoesNotMatchAnotherProcessorAndNamesBoth) {
  const TargetMatch match = match_target(laptop(), *find_target("i5-11600K"));
  EXPECT_FALSE(match.matches);
  EXPECT_THAT(match.note, AllOf(HasSubstr("i5-11600K (6 cores, 12 hardware threads)"),
                                HasSubstr("i7-1165G7 @ 2.80GHz (4 cores, 8 hardware threads)")));
}

TEST(Target, DoesNotMatchTheSameProcessorWithThreadsSwitchedOff) {
  Machine machine = laptop();
  machine.hardware_threads = 4;
  EXPECT_FALSE(match_target(machine, *find_target("i7-1165G7")).matches);
}

TEST(Target, DoesNotMatchAMachineThatTellsNothing) {
  const TargetMatch match = match_target({}, *find_target("i7-1165G7"));
  EXPECT_FALSE(match.matches);
  EXPECT_THAT(match.note, HasSubstr("an unknown processor (an unknown number of cores"));
}

}  // namespace
}  // namespace lockbench
