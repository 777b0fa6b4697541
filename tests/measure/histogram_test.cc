// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/measure/histogram.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "workloads/random.h"

namespace lockbench {
namespace {

constexpr double kPromisedError = 0.016;

TEST(Histogram, BucketsFollowEachOtherWithoutGapOrOverlap) {
  EXPECT_EQ(Histogram::low_of(0), 0u);
  for (std::size_t bucket = 0; bucket < Histogram::kBuckets; ++bucket) {
    const std::uint64_t low = Histogram::low_of(bucket);
    const std::uint64_t high = Histogram::high_of(bucket);
    ASSERT_LE(low, high) << bucket;
    ASSERT_EQ(Histogram::bucket_of(low), bucket);
    ASSERT_EQ(Histogram::bucket_of(high), bucket);
    ASSERT_EQ(Histogram::low_of(bucket + 1), high + 1);
  }
  EXPECT_EQ(Histogram::high_of(Histogram::kBuckets - 1), Histogram::kLimit - 1);
}

TEST(Histogram, EveryValueLiesInItsBucketAndCloseToTheMiddle) {
  Random random(1);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t value = random.next() >> (64 - 1 - random.below(Histogram::kLimitBits));
    const std::size_t bucket = Histogram::bucket_of(value);
    const std::uint64_t low = Histogram::low_of(bucket);
    const std::uint64_t high = Histogram::high_of(bucket);
    ASSERT_LE(low, value);
    ASSERT_GE(high, value);
    const double middle = static_cast<double>(low + high) / 2;
    ASSERT_LE(std::abs(middle - static_cast<double>(value)),
              kPromisedError * static_cast<double>(value));
  }
}

TEST(Histogram, SmallValuesAreExact) {
  for (std::uint64_t value = 0; value < 32; ++value) {
    EXPECT_EQ(Histogram::low_of(Histogram::bucket_of(value)), value);
    EXPECT_EQ(Histogram::high_of(Histogram::bucket_of(value)), value);
  }
}

// Values of known distributions, in no order.
std::vector<std::pair<std::string, std::vector<std::uint64_t>>> distributions() {
  Random random(5);
  std::vector<std::uint64_t> uniform;
  std::vector<std::uint64_t> exponential;
  std::vector<std::uint64_t> two_humps;
  std::vector<std::uint64_t> heavy_tail;
  for (int i = 0; i < 20'000; ++i) {
    uniform.push_back(1 + random.below(1'000'000));
    exponential.push_back(1 + static_cast<std::uint64_t>(-5000 * std::log(1 - random.unit())));
    two_humps.push_back(i % 20 == 0 ? 4'000'000 + random.below(1'000'000) : 20 + random.below(9));
    heavy_tail.push_back(static_cast<std::uint64_t>(40 / std::pow(1 - random.unit(), 2)));
  }
  return {{"uniform", uniform},
          {"exponential", exponential},
          {"two humps", two_humps},
          {"heavy tail", heavy_tail},
          {"constant", std::vector<std::uint64_t>(100, 123'456)},
          {"a single one", {777}}};
}

TEST(Histogram, QuantilesAreOffByNoMoreThanPromised) {
  for (auto& [name, values] : distributions()) {
    Histogram histogram;
    for (const std::uint64_t value : values) histogram.record(value);
    std::sort(values.begin(), values.end());
    const LatencySummary summary = histogram.summary();
    const auto n = static_cast<double>(values.size());
    for (const auto& [share, told] : {std::pair(0.5, summary.p50_ns),
                                      {0.9, summary.p90_ns},
                                      {0.99, summary.p99_ns},
                                      {0.999, summary.p999_ns}}) {
      const auto exact = static_cast<double>(
          values[static_cast<std::size_t>(std::max(1.0, std::ceil(share * n))) - 1]);
      EXPECT_NEAR(told, exact, kPromisedError * exact) << name << ' ' << share;
    }
    EXPECT_EQ(summary.max_ns, static_cast<double>(values.back())) << name;
    EXPECT_EQ(summary.samples, values.size()) << name;
    double sum = 0;
    for (const std::uint64_t value : values) sum += static_cast<double>(value);
    EXPECT_DOUBLE_EQ(summary.mean_ns, sum / n) << name;
  }
}

TEST(Histogram, NoQuantileIsAboveTheMaximum) {
  Histogram histogram;
  for (int i = 0; i < 10; ++i) histogram.record(992);  // the least of its bucket
  const LatencySummary summary = histogram.summary();
  EXPECT_EQ(summary.p50_ns, 992);
  EXPECT_EQ(summary.p999_ns, 992);
}

TEST(Histogram, SummaryListsItsNonEmptyBucketsInOrder) {
  Histogram histogram;
  for (const std::uint64_t value : {70, 3, 3, 71}) histogram.record(value);
  const std::vector<LatencyBucket> expected = {{.low_ns = 3, .high_ns = 3, .count = 2},
                                               {.low_ns = 70, .high_ns = 71, .count = 2}};
  EXPECT_EQ(histogram.summary().buckets, expected);
}

TEST(Histogram, SumsOfHistogramsAreHistogramsOfAll) {
  Histogram all;
  Histogram sum;
  for (const auto& [name, values] : distributions()) {
    Histogram part;
    for (const std::uint64_t value : values) {
      part.record(value);
      all.record(value);
    }
    sum.add(part);
  }
  EXPECT_EQ(sum.summary(), all.summary());
}

TEST(Histogram, ValuesBeyondTheLimitAreCountedAndTheMaximumStaysExact) {
  Histogram histogram;
  histogram.record(5);
  histogram.record(Histogram::kLimit);
  histogram.record(3 * Histogram::kLimit + 1);
  const LatencySummary summary = histogram.summary();
  EXPECT_EQ(summary.samples, 3u);
  EXPECT_EQ(summary.max_ns, static_cast<double>(3 * Histogram::kLimit + 1));
  ASSERT_EQ(summary.buckets.size(), 2u);
  EXPECT_EQ(summary.buckets[1].high_ns, Histogram::kLimit - 1);
  EXPECT_EQ(summary.buckets[1].count, 2u);
}

TEST(Histogram, AnEmptyOneHasNoBuckets) {
  EXPECT_EQ(Histogram().samples(), 0u);
  EXPECT_EQ(Histogram().summary(), LatencySummary());
}

}  // namespace
}  // namespace lockbench
