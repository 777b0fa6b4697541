// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/measure/usage.h"

#include <vector>

#include <gtest/gtest.h>

#include "harness/bench/measure/conclude.h"

namespace lockbench {
namespace {

TEST(Usage, WhatIsToldIsTheDifference) {
  const Usage before{
      .user_s = 1, .system_s = 2, .voluntary_switches = 3, .involuntary_switches = 4};
  const Usage after{
      .user_s = 1.5, .system_s = 4, .voluntary_switches = 13, .involuntary_switches = 24};
  Sample sample;
  add_usage(after - before, sample);
  EXPECT_EQ(sample.cpu_user_s, 0.5);
  EXPECT_EQ(sample.cpu_system_s, 2.0);
  EXPECT_EQ(sample.voluntary_switches, 10u);
  EXPECT_EQ(sample.involuntary_switches, 20u);
}

TEST(Usage, NeverGoesBack) {
  const Usage before = Usage::now();
  const Usage after = Usage::now();
  EXPECT_GE(after.user_s, before.user_s);
  EXPECT_GE(after.system_s, before.system_s);
  EXPECT_GE(after.voluntary_switches, before.voluntary_switches);
  EXPECT_GE(after.involuntary_switches, before.involuntary_switches);
}

TEST(PeakRss, GrowsByWhatIsTouched) {
  const std::uint64_t before = peak_rss_bytes().value();
  const std::uint64_t touched = before + (8 << 20);  // beyond any earlier peak
  {
    const std::vector<char> memory(touched, 1);
    EXPECT_EQ(memory.back(), 1);
  }
  EXPECT_GE(peak_rss_bytes().value(), touched);
}

}  // namespace
}  // namespace lockbench
