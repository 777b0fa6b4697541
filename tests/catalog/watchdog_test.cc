// SPDX-License-Identifier: Apache-2.0

// The first seed's demonstration, scaled down: holds that take ten times as long as they may, under
// the published watchdog and under ours. `--gtest_repeat=1000` makes a thousand runs of it.
#include <iterator>
#include <numeric>
#include <sstream>

#include <gtest/gtest.h>

#include "harness/bench/measure/run_trial.h"
#include "tests/catalog/cells.h"

namespace lockbench {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint64_t kUpdates = 21;

// 21 threads count on six counters, once each.
Sample demonstration(const std::string& primitive) {
  Trial trial{.seed = 1, .cell = cell_of(primitive, "counter")};
  trial.cell.threads = kUpdates;
  trial.cell.keys = 6;
  trial.cell.key_distribution = {.kind = KeyDistribution::Kind::kAssigned,
                                 .counts = {6, 2, 5, 3, 2, 3}};
  trial.cell.hold = {.kind = Work::Kind::kSleep, .duration = milliseconds(10)};
  trial.cell.stall_limit = seconds(60);
  return run_trial(trial, [&] { return Catalog::standard().subject_for(trial).value(); });
}

std::uint64_t sum_of(const std::string& counts) {
  std::istringstream text(counts);
  using Number = std::istream_iterator<std::uint64_t>;
  return std::accumulate(Number(text), Number(), std::uint64_t{0});
}

TEST(WatchdogDemonstration, ThePublishedFormLosesUpdatesAndIsConvictedOfIt) {
  const Sample sample = demonstration("keyed_as_published:keys=known,timeout_ms=1");
  EXPECT_EQ(sample.outcome, Outcome::kOk);
  EXPECT_GT(sample.lost_updates, 0u);
  EXPECT_FALSE(sample.valid());
  EXPECT_EQ(sample.expired_holds, std::nullopt);
}

TEST(WatchdogDemonstration, OursLosesNoneAndTellsOfEachThatItRefused) {
  const Sample sample = demonstration("keyed_limited:hold_limit_ms=1");
  EXPECT_EQ(sample.outcome, Outcome::kOk);
  EXPECT_TRUE(sample.proven()) << sample.reason;
  EXPECT_GT(sample.expired_holds, 0u);
  EXPECT_GE(sample.expired_holds, sample.refused_writes);
  EXPECT_EQ(sum_of(sample.counts) + *sample.refused_writes, kUpdates);
  EXPECT_EQ(sum_of(sample.counts), sample.operations);
  EXPECT_EQ(sample.ideal_s, std::nullopt);
}

TEST(WatchdogDemonstration, WithTimeEnoughNothingExpires) {
  const Sample sample = demonstration("keyed_limited");
  EXPECT_TRUE(sample.proven()) << sample.reason;
  EXPECT_EQ(sample.counts, "6 2 5 3 2 3");
  EXPECT_EQ(sample.expired_holds, 0u);
  EXPECT_EQ(sample.refused_writes, 0u);
  EXPECT_GT(sample.ideal_s, 0.0);
}

}  // namespace
}  // namespace lockbench
