// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "harness/bench/record/schema.h"
#include "tests/record/example_run.h"

namespace lockbench {
namespace {

TEST(Latency, EachBucketIsARowWaitsBeforeHolds) {
  EXPECT_EQ(latency_records(full_row()),
            "20250131T235959Z-7f3a,7,wait,0,7,3,6\n"
            "20250131T235959Z-7f3a,7,wait,208,211,2,6\n"
            "20250131T235959Z-7f3a,7,hold,300,305,6,6\n");
}

TEST(Latency, ATrialWithoutTimesHasNoRows) {
  EXPECT_EQ(latency_records(almost_empty_row()), "");
}

}  // namespace
}  // namespace lockbench
