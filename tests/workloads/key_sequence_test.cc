// SPDX-License-Identifier: Apache-2.0

#include "workloads/key_sequence.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "workloads/random.h"

namespace lockbench {
namespace {

using Rings = std::vector<std::vector<std::uint32_t>>;

Rings rings_of(const WorkloadSettings& settings, std::uint32_t per_operation = 1) {
  const KeySequences sequences = KeySequences::draw(settings, per_operation);
  Rings rings;
  for (std::uint32_t thread = 0; thread < settings.threads; ++thread) {
    const auto ring = sequences.of(thread);
    rings.emplace_back(ring.begin(), ring.end());
  }
  return rings;
}

std::vector<std::uint64_t> tally_of(const Rings& rings, std::uint64_t keys) {
  std::vector<std::uint64_t> tally(keys);
  for (const auto& ring : rings) {
    for (const std::uint32_t key : ring) ++tally.at(key);
  }
  return tally;
}

// Pearson's chi-squared of the keys drawn, against five standard deviations above its mean.
void expect_shares(const WorkloadSettings& settings, const std::vector<double>& shares) {
  const std::vector<std::uint64_t> tally = tally_of(rings_of(settings), settings.keys);
  const auto drawn =
      static_cast<double>(std::accumulate(tally.begin(), tally.end(), std::uint64_t{0}));
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  double chi_squared = 0;
  for (std::size_t key = 0; key < shares.size(); ++key) {
    const double expected = drawn * shares[key] / sum;
    chi_squared += std::pow(static_cast<double>(tally[key]) - expected, 2) / expected;
  }
  const auto degrees = static_cast<double>(shares.size() - 1);
  EXPECT_LE(chi_squared, degrees + 5 * std::sqrt(2 * degrees));
}

std::vector<KeyDistribution> all_distributions() {
  return {{.kind = KeyDistribution::Kind::kUniform},
          {.kind = KeyDistribution::Kind::kZipf, .theta = 0.99},
          {.kind = KeyDistribution::Kind::kHot, .hot_fraction = 0.1, .hot_share = 0.9}};
}

TEST(KeySequences, TheSameSeedDrawsTheSameKeysAndAnotherOneOthers) {
  for (const KeyDistribution& distribution : all_distributions()) {
    WorkloadSettings settings{.threads = 3, .keys = 100, .key_distribution = distribution};
    const Rings first = rings_of(settings);
    EXPECT_EQ(rings_of(settings), first);
    settings.seed = 2;
    EXPECT_NE(rings_of(settings), first);
  }
}

TEST(KeySequences, EveryThreadDrawsKeysOfItsOwn) {
  for (const KeyDistribution& distribution : all_distributions()) {
    Rings rings = rings_of({.threads = 8, .keys = 100, .key_distribution = distribution});
    std::sort(rings.begin(), rings.end());
    EXPECT_EQ(std::adjacent_find(rings.begin(), rings.end()), rings.end());
  }
}

TEST(KeySequences, UniformKeysHaveEqualShares) {
  expect_shares({.threads = 4, .keys = 50}, std::vector<double>(50, 1.0));
}

TEST(KeySequences, ZipfKeysHaveSharesByRank) {
  for (const double theta : {0.0, 0.5, 0.99, 2.0}) {
    std::vector<double> shares;
    for (int rank = 1; rank <= 40; ++rank) shares.push_back(std::pow(rank, -theta));
    const KeyDistribution zipf{.kind = KeyDistribution::Kind::kZipf, .theta = theta};
    expect_shares({.threads = 4, .keys = 40, .key_distribution = zipf}, shares);
  }
}

TEST(KeySequences, AHotFractionOfTheKeysHasItsShare) {
  const KeyDistribution hot{
      .kind = KeyDistribution::Kind::kHot, .hot_fraction = 0.1, .hot_share = 0.8};
  std::vector<double> shares(50, 0.2 / 45);
  std::fill_n(shares.begin(), 5, 0.8 / 5);
  expect_shares({.threads = 4, .keys = 50, .key_distribution = hot}, shares);
}

TEST(KeySequences, SomeKeyIsHotAndSomeIsNotHoweverFewThereAre) {
  const auto tally = [](std::uint64_t keys, double fraction) {
    const KeyDistribution hot{
        .kind = KeyDistribution::Kind::kHot, .hot_fraction = fraction, .hot_share = 0.75};
    return tally_of(rings_of({.keys = keys, .key_distribution = hot}), keys);
  };
  for (const double fraction : {0.001, 0.999}) {
    const auto two = tally(2, fraction);
    EXPECT_NEAR(static_cast<double>(two[0]) / static_cast<double>(two[0] + two[1]), 0.75, 0.02);
  }
  EXPECT_GT(tally(1, 0.5)[0], 0u);
}

TEST(KeySequences, AssignedKeysComeAsOftenAsSaidHoweverTheyAreDealt) {
  const std::vector<std::uint32_t> counts{6, 2, 5, 3, 2, 3};
  const std::vector<std::uint64_t> expected(counts.begin(), counts.end());
  for (const auto& [threads, operations] : {std::pair(1, 21), {3, 7}, {7, 3}, {21, 1}}) {
    const WorkloadSettings settings{
        .threads = static_cast<std::uint32_t>(threads),
        .keys = counts.size(),
        .key_distribution = {.kind = KeyDistribution::Kind::kAssigned, .counts = counts},
        .operations = static_cast<std::uint64_t>(operations)};
    const Rings rings = rings_of(settings);
    EXPECT_EQ(tally_of(rings, counts.size()), expected);
    for (const auto& ring : rings) EXPECT_EQ(ring.size(), settings.operations);
  }
}

TEST(KeySequences, AssignedKeysAreDealtAnewForEverySeed) {
  WorkloadSettings settings{
      .threads = 2,
      .keys = 3,
      .key_distribution = {.kind = KeyDistribution::Kind::kAssigned, .counts = {10, 10, 10}},
      .operations = 15};
  const Rings first = rings_of(settings);
  EXPECT_EQ(rings_of(settings), first);
  settings.seed = 2;
  EXPECT_NE(rings_of(settings), first);
}

TEST(KeySequences, OwnKeysAreOfOneThreadEachWhereThereAreEnough) {
  WorkloadSettings settings{
      .threads = 3,
      .keys = 3,
      .key_distribution = {.kind = KeyDistribution::Kind::kOwn, .counts = {}}};
  EXPECT_EQ(rings_of(settings), (Rings{{0}, {1}, {2}}));
  settings.keys = 2;
  EXPECT_EQ(rings_of(settings), (Rings{{0}, {1}, {0}}));
}

TEST(KeySequences, FixedWorkNeedsNoMoreKeysThanOperations) {
  EXPECT_EQ(rings_of({.keys = 9, .operations = 5})[0].size(), 5u);
  EXPECT_EQ(rings_of({.keys = 9, .operations = 5}, 2)[0].size(), 10u);
}

TEST(KeySequences, ARingNeverSplitsAPair) {
  for (const std::uint32_t threads : {1u, 3u, 129u, 4096u}) {
    EXPECT_EQ(rings_of({.threads = threads, .keys = 9}, 2)[0].size() % 2, 0u) << threads;
  }
}

TEST(KeySequences, RingsStayWithinReasonForAnyNumberOfThreads) {
  for (const std::uint32_t threads : {1u, 64u, 1000u, 4096u}) {
    const KeySequences sequences = KeySequences::draw({.threads = threads, .keys = 3});
    EXPECT_GE(sequences.of(0).size(), 512u);
    EXPECT_LE(sequences.of(0).size() * threads * sizeof(std::uint32_t), 16u << 20);
  }
}

// Rings of all small sizes, walked for a while beyond their end, by one step and by leaps.
TEST(KeyCursor, SkippingIsTheSameAsWalking) {
  for (std::uint32_t size = 1; size <= 6; ++size) {
    std::vector<std::uint32_t> ring(size);
    std::iota(ring.begin(), ring.end(), 0u);
    for (std::uint64_t begin = 0; begin < 2U * std::uint64_t{size}; ++begin) {
      for (std::uint64_t leap = 0; leap < 4U * std::uint64_t{size}; ++leap) {
        KeyCursor walked(ring);
        for (std::uint64_t i = 0; i < begin + leap; ++i) walked.next();
        KeyCursor skipped(ring);
        for (std::uint64_t i = 0; i < begin; ++i) skipped.next();
        skipped.skip(leap);
        std::vector<std::uint64_t> by_walking(size);
        std::vector<std::uint64_t> by_skipping(size);
        walked.count_into(by_walking);
        skipped.count_into(by_skipping);
        ASSERT_EQ(by_skipping, by_walking) << size << ' ' << begin << ' ' << leap;
        ASSERT_EQ(skipped.next(), walked.next());
      }
    }
  }
}

TEST(KeyCursor, CountsWhatItGaveOut) {
  Random random(3);
  for (int attempt = 0; attempt < 200; ++attempt) {
    std::vector<std::uint32_t> ring(1 + random.below(12));
    for (std::uint32_t& key : ring) key = static_cast<std::uint32_t>(random.below(5));
    KeyCursor cursor(ring);
    std::vector<std::uint64_t> expected(5, 100);
    const std::uint64_t steps = random.below(40);
    for (std::uint64_t i = 0; i < steps; ++i) ++expected[cursor.next()];
    std::vector<std::uint64_t> counted(5, 100);
    cursor.count_into(counted);
    ASSERT_EQ(counted, expected);
  }
}

TEST(KeyCursor, CountsThePairsThatItGaveOut) {
  using Pairs = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>;
  Random random(3);
  for (int attempt = 0; attempt < 200; ++attempt) {
    std::vector<std::uint32_t> ring(2 * (1 + random.below(6)));
    for (std::uint32_t& key : ring) key = static_cast<std::uint32_t>(random.below(4));
    KeyCursor cursor(ring);
    Pairs expected;
    const std::uint64_t steps = random.below(20);
    for (std::uint64_t i = 0; i < steps; ++i) {
      const std::uint32_t a = cursor.next();
      const std::uint32_t b = cursor.next();
      ++expected[{a, b}];
    }
    Pairs counted;
    cursor.for_each_pair([&](std::uint32_t a, std::uint32_t b, std::uint64_t times) {
      if (times != 0) counted[{a, b}] += times;
    });
    ASSERT_EQ(counted, expected);
  }
}

}  // namespace
}  // namespace lockbench
