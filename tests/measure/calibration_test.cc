// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/measure/calibration.h"

#include <gtest/gtest.h>

namespace lockbench {
namespace {

TEST(Calibration, MeasuresTheClockEveryFloorAndSpinsUpToAMillisecond) {
  const Calibration calibration = calibrate();
  EXPECT_GT(calibration.clock_ns, 0);
  EXPECT_GT(calibration.floor_untimed_ns.value(), 0);
  EXPECT_GT(calibration.floor_sampled_ns.value(), 0);
  EXPECT_GT(calibration.floor_timed_ns.value(), 0);
  ASSERT_EQ(calibration.holds.size(), 5u);
  EXPECT_EQ(calibration.holds.front().asked, Nanoseconds(100));
  EXPECT_EQ(calibration.holds.back().asked, std::chrono::milliseconds(1));
  for (const HoldAccuracy& hold : calibration.holds) EXPECT_GT(hold.got_ns, 0);
}

TEST(Calibration, MeasuresAnOperationUnderALock) {
  EXPECT_GT(locked_operation_ns().value(), 0);
}

}  // namespace
}  // namespace lockbench
