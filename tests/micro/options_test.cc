// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/micro/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Words = std::vector<std::string>;

MicroOptions taken(Words words) {
  return take_options(words).value();
}

std::string refused(Words words) {
  return std::string(take_options(words).status().message());
}

TEST(MicroOptions, OursAreTakenOutAndTheOthersLeft) {
  Words words = {"micro", "--benchmark_filter=rmw", "--lockbench_out=a/b", "--v=1"};
  EXPECT_EQ(take_options(words)->out, "a/b");
  EXPECT_THAT(words, ElementsAre("micro", "--benchmark_filter=rmw", "--v=1"));
}

TEST(MicroOptions, WhatGoogleBenchmarkWillDoIsKnown) {
  EXPECT_EQ(taken({"micro"}).repetitions, 1u);
  EXPECT_EQ(taken({"micro", "--benchmark_repetitions=3", "--benchmark_repetitions=9"}).repetitions,
            9u);
  EXPECT_FALSE(taken({"micro"}).lists_only);
  EXPECT_TRUE(taken({"micro", "--benchmark_list_tests"}).lists_only);
  EXPECT_FALSE(taken({"micro", "--benchmark_list_tests=false"}).lists_only);
}

TEST(MicroOptions, ItsVariablesCountWhereNoFlagIsGiven) {
  ::setenv("BENCHMARK_REPETITIONS", "5", 1);
  EXPECT_EQ(taken({"micro"}).repetitions, 5u);
  EXPECT_EQ(taken({"micro", "--benchmark_repetitions=2"}).repetitions, 2u);
  ::unsetenv("BENCHMARK_REPETITIONS");
}

TEST(MicroOptions, AFolderMustBeNamed) {
  EXPECT_THAT(refused({"micro", "--lockbench_out"}), HasSubstr("wants a folder"));
  EXPECT_THAT(refused({"micro", "--lockbench_out="}), HasSubstr("wants a folder"));
}

TEST(MicroOptions, RowsWantRepetitions) {
  for (const char* const flag :
       {"--benchmark_report_aggregates_only", "--benchmark_display_aggregates_only=true"}) {
    EXPECT_THAT(refused({"micro", "--lockbench_out=a", flag}), HasSubstr("leave one of the two"));
    EXPECT_EQ(refused({"micro", flag}), "");
  }
  EXPECT_EQ(refused({"micro", "--lockbench_out=a", "--benchmark_report_aggregates_only=no"}), "");
}

}  // namespace
}  // namespace lockbench
