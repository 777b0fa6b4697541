// SPDX-License-Identifier: Apache-2.0

#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/record/sample_json.h"
#include "tests/record/example_run.h"

namespace lockbench {
namespace {

using testing::StartsWith;

std::string error_of(const std::function<void(Sample&)>& spoil) {
  Sample sample = full_sample();
  spoil(sample);
  return std::string(check_sample(sample).message());
}

TEST(SampleCheck, WhatCanBeMeasuredPasses) {
  EXPECT_TRUE(check_sample(full_sample()).ok());
  EXPECT_TRUE(check_sample({.outcome = Outcome::kCrashed}).ok());
  EXPECT_EQ(error_of([](Sample& s) { s.fairness_jain = 1 + 1e-12; }), "");  // rounding
}

TEST(SampleCheck, WhatNoTrialCanMeasureIsNamed) {
  for (const double figure : {-1.0, 0.0, 1e308, std::numeric_limits<double>::infinity()}) {
    EXPECT_THAT(error_of([&](Sample& s) { s.makespan_s = figure; }),
                StartsWith("sample.makespan_s: expected a number above 0 to 1e+09, found "));
    EXPECT_THAT(error_of([&](Sample& s) { s.window_s = figure; }), StartsWith("sample.window_s: "));
  }
  EXPECT_THAT(error_of([](Sample& s) { s.overlap = 1.5; }),
              StartsWith("sample.overlap: expected a number from 0 to 1, found 1.5"));
  // Figures that are not below 0, and shares.
  using Figure = std::optional<double> Sample::*;
  for (const auto& [name, figure, most] :
       std::initializer_list<std::tuple<std::string, Figure, double>>{
           {"ideal_s", &Sample::ideal_s, 1e9},
           {"cpu_user_s", &Sample::cpu_user_s, 1e9},
           {"cpu_system_s", &Sample::cpu_system_s, 1e9},
           {"fairness_jain", &Sample::fairness_jain, 1},
           {"overlap", &Sample::overlap, 1},
           {"steal_share", &Sample::steal_share, 1},
           {"other_cpu_share", &Sample::other_cpu_share, 1},
           {"throttled_s", &Sample::throttled_s, 1e9},
           {"false_conflicts", &Sample::false_conflicts, 1},
           {"idle_lateness_mean_ns", &Sample::idle_lateness_mean_ns, 1e22},
           {"key_bytes_live", &Sample::key_bytes_live, 1e18},
           {"key_bytes_idle", &Sample::key_bytes_idle, 1e18}}) {
    for (const double wrong : {-0.1, 1.01 * most}) {
      EXPECT_THAT(error_of([&](Sample& s) { s.*figure = wrong; }),
                  StartsWith("sample." + name + ": expected a number from 0 to "));
    }
  }
  EXPECT_THAT(error_of([](Sample& s) { s.wait->max_ns = 1e308; }), StartsWith("sample.wait: "));
  EXPECT_THAT(error_of([](Sample& s) { s.hold->mean_ns = -1; }), StartsWith("sample.hold: "));
}

TEST(SampleCheck, BucketsAscendAndAddUp) {
  EXPECT_THAT(error_of([](Sample& s) { std::swap(s.wait->buckets[0], s.wait->buckets[1]); }),
              StartsWith("sample.wait: expected ascending buckets"));
  EXPECT_THAT(error_of([](Sample& s) { s.wait->buckets[0].low_ns = 8; }),
              StartsWith("sample.wait: expected ascending buckets"));
  EXPECT_THAT(error_of([](Sample& s) { ++s.wait->samples; }),
              StartsWith("sample.wait: expected 6 samples in its buckets, found 5"));
}

TEST(SampleCheck, FiguresAgreeWithEachOther) {
  EXPECT_THAT(error_of([](Sample& s) { s.thread_operations_min = 13; }),
              StartsWith("sample.thread_operations_min: expected at most thread_operations_max"));
  EXPECT_THAT(error_of([](Sample& s) { s.counts = "1 2 x"; }), StartsWith("sample.counts: "));
  EXPECT_THAT(error_of([](Sample& s) { s.counts.assign(5000, '1'); }),
              StartsWith("sample.counts: "));
}

}  // namespace
}  // namespace lockbench
