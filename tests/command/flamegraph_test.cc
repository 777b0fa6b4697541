// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/run/flamegraph.h"

#include <gtest/gtest.h>

namespace lockbench {
namespace {

TEST(StackSamples, AreFewerASecondIfATrialIsLongOrHasManyProcessors) {
  EXPECT_EQ(stack_samples_per_s(0.1, 1), 1999);
  EXPECT_EQ(stack_samples_per_s(10, 2), 500);
  EXPECT_EQ(stack_samples_per_s(10, 20), 50);
  EXPECT_EQ(stack_samples_per_s(3600, 64), 49);
}

TEST(StackSamples, HaveARateForATrialWithoutTime) {
  EXPECT_EQ(stack_samples_per_s(0, 0), 1999);
}

}  // namespace
}  // namespace lockbench
