// SPDX-License-Identifier: Apache-2.0

#include "harness/command/run/unfairness.h"

#include <gtest/gtest.h>

namespace lockbench {
namespace {

using namespace std::chrono_literals;

const Cell kCell{.threads = 8, .hold = {.kind = Work::Kind::kSpin, .duration = 200ns}};

TEST(Unfairness, IsToldByJainsIndex) {
  EXPECT_EQ(unfairness_of(kCell, {.jain = 0.79, .window_s = 0.1}), "Jain 0.79");
  EXPECT_EQ(unfairness_of(kCell, {.jain = 0.81, .window_s = 0.1}), "");
  EXPECT_EQ(unfairness_of(kCell, {}), "");
}

TEST(Unfairness, IsToldByAWaitOfManyTurnsOfTheScheduler) {
  EXPECT_EQ(unfairness_of(kCell, {.wait_max_ns = 9.9e6, .window_s = 0.1}), "");
  EXPECT_EQ(unfairness_of(kCell, {.wait_max_ns = 310e6, .window_s = 1}), "one wait took 310 ms");
}

TEST(Unfairness, IsNoQueueInOrder) {
  Cell sleepy = kCell;
  sleepy.hold = {.kind = Work::Kind::kSleep, .duration = 100ms};
  EXPECT_EQ(unfairness_of(sleepy, {.wait_max_ns = 700e6, .window_s = 1}), "");
  EXPECT_NE(unfairness_of(sleepy, {.wait_max_ns = 1.7e9, .window_s = 1}), "");
}

TEST(Unfairness, IsAskedOnlyWhereThreadsCompeteForAWindow) {
  Cell cell = kCell;
  cell.threads = 1;
  EXPECT_EQ(unfairness_of(cell, {.jain = 0.1}), "");
  cell = kCell;
  cell.mode = Mode::kFixed;
  EXPECT_EQ(unfairness_of(cell, {.jain = 0.1}), "");
}

}  // namespace
}  // namespace lockbench
