// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <absl/strings/str_format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/bench/record/sample_json.h"
#include "tests/record/example_run.h"

namespace lockbench {
namespace {

using testing::HasSubstr;
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
  EXPECT_THAT(error_of([](Sample& s) { s.wait->max_ns = 1e308; }),
              StartsWith("sample.wait.max_ns: expected a number from 0 to 1e+22, found 1e+308"));
  EXPECT_THAT(error_of([](Sample& s) { s.hold->mean_ns = -1; }),
              StartsWith("sample.hold.mean_ns: "));
}

// Whatever fields are added: each figure has bounds, and the error names it and them.
TEST(SampleCheck, EachFigureHasBounds) {
  std::size_t figures = 0;
  Sample sample = full_sample();
  fields(sample, [&](const Field& field, auto& figure) {
    if constexpr (std::is_same_v<decltype(figure), std::optional<double>&>) {
      ++figures;
      const std::optional<double> right = figure;
      const Bounds bounds = field.bounds;
      for (const double wrong :
           {bounds.least - 0.1, 1.01 * bounds.most, 1e308, std::numeric_limits<double>::infinity(),
            std::numeric_limits<double>::quiet_NaN()}) {
        figure = wrong;
        EXPECT_EQ(std::string(check_sample(sample).message()),
                  absl::StrFormat("sample.%s: expected a number %s %g to %g, found %g", field.name,
                                  bounds.more_than_least ? "above" : "from", bounds.least,
                                  bounds.most, wrong));
      }
      figure = bounds.most;
      EXPECT_EQ(check_sample(sample), absl::OkStatus());
      figure = right;
    }
  });
  EXPECT_GE(figures, 29u);
  for (const auto& [unit, most] : std::initializer_list<std::pair<std::string, double>>{
           {"s", 1e9}, {"ns", 1e22}, {"bytes", 1e18}, {"ratio", 1e18}}) {
    EXPECT_EQ(bounds_of_unit(unit).least, 0);
    EXPECT_EQ(bounds_of_unit(unit).most, most);
  }
}

TEST(SampleCheck, SharesAreAtMostAllOfIt) {
  for (const auto& figure : {&Sample::fairness_jain, &Sample::overlap, &Sample::steal_share,
                             &Sample::other_cpu_share, &Sample::false_conflicts}) {
    EXPECT_THAT(error_of([&](Sample& s) { s.*figure = 1.01; }), HasSubstr("from 0 to 1, found"));
  }
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
