// SPDX-License-Identifier: Apache-2.0

// Holds: which histories of a lock object are possible.
#include "harness/services/engine/holds.h"

#include <memory>

#include <gtest/gtest.h>

namespace lockbench::stress::services {
namespace {

const std::int64_t kNever = certain_ns(std::chrono::milliseconds(0));

Take hold(std::uint32_t client, std::int64_t requested, std::int64_t acquired,
          std::int64_t releasing, std::uint32_t key = 0) {
  return {.thread = client,
          .key = key,
          .held = true,
          .checked = false,
          .requested = requested,
          .answered = acquired,
          .unlock_began = releasing,
          .unlock_ended = releasing};
}

// The client that had a key that others held up to its capacity; none: the history is possible.
std::optional<std::uint32_t> one_too_many(const std::vector<Take>& holds,
                                          std::uint32_t capacity = 1,
                                          std::int64_t certain = kNever) {
  for (const MostHolders& most : most_holders(holds, capacity, certain)) {
    if (most.seen.excess) return most.seen.thread;
  }
  return std::nullopt;
}

TEST(Holds, OneAfterTheOtherArePossible) {
  EXPECT_FALSE(one_too_many({hold(1, 5, 30, 40), hold(0, 0, 10, 20), hold(2, 11, 20, 25)}));
}

TEST(Holds, TwoAtOnceAreNot) {
  EXPECT_EQ(one_too_many({hold(0, 0, 10, 20), hold(1, 5, 19, 40)}), 1U);
}

TEST(Holds, ALongHoldIsComparedWithAllThatBeginWhileItLasts) {
  EXPECT_EQ(one_too_many({hold(0, 0, 10, 100), hold(1, 200, 210, 220), hold(2, 5, 90, 95)}), 2U);
}

TEST(Holds, OfDifferentKeysHaveNothingToDoWithEachOther) {
  EXPECT_FALSE(one_too_many({hold(0, 0, 10, 20, 0), hold(1, 0, 10, 20, 1)}));
  EXPECT_EQ(most_holders({hold(0, 0, 10, 20, 1), hold(1, 0, 10, 20, 0)}, 1, kNever).size(), 2U);
}

TEST(Holds, AsManyAtOnceAsTheCapacityIsArePossible) {
  const std::vector<Take> holds = {hold(0, 0, 10, 20), hold(1, 0, 12, 30), hold(2, 0, 20, 40)};
  EXPECT_FALSE(one_too_many(holds, 2));
  EXPECT_EQ(one_too_many(holds, 1), 1U);
  EXPECT_EQ(one_too_many({hold(0, 0, 10, 20), hold(1, 0, 12, 30), hold(2, 0, 19, 40)}, 2), 2U);
}

TEST(Holds, AreCertainForAThirdOfTheirLease) {
  const std::int64_t certain = certain_ns(std::chrono::milliseconds(300));
  EXPECT_LE(certain, 100'000'000);
  EXPECT_GT(certain, 0);
  EXPECT_FALSE(
      one_too_many({hold(0, 0, 10, 2 * certain), hold(1, 0, certain, 3 * certain)}, 1, certain));
  EXPECT_TRUE(one_too_many({hold(0, 0, 10, 2 * certain), hold(1, 0, certain - 1, 3 * certain)}, 1,
                           certain));
  EXPECT_GT(certain_ns(std::chrono::milliseconds(1)), 0);
}

TEST(Holds, NothingIsCertainOfOneThatTheServiceMayHaveForgotten) {
  const std::vector<Take> holds = {hold(0, 0, 10, 50), hold(1, 5, 30, 60)};
  EXPECT_TRUE(one_too_many(holds));
  EXPECT_FALSE(one_too_many(certain_holds(holds, {{.from = 20, .to = 25}})));
  EXPECT_FALSE(one_too_many(certain_holds(holds, {{.from = 20}})));
  // It was over before, or began when the time was over.
  EXPECT_TRUE(one_too_many(certain_holds(holds, {{.from = 70}})));
  EXPECT_TRUE(one_too_many(
      certain_holds({hold(0, 30, 40, 90), hold(1, 35, 50, 60)}, {{.from = 20, .to = 25}})));
}

TEST(Holds, OfAKilledClientAreLeftOut) {
  const auto client = std::make_unique<ClientHolds>();
  std::vector<Take> holds;
  client->add(2, 7, 10, 20);
  client->note_release(30);
  client->add(2, 8, 40, 50);
  client->append_to(holds, 3);
  ASSERT_EQ(holds.size(), 1U);
  EXPECT_EQ(holds[0].thread, 3U);
  EXPECT_EQ(holds[0].key, 2U);
  EXPECT_EQ(holds[0].token, 7U);
  EXPECT_EQ(holds[0].requested, 10);
  EXPECT_EQ(holds[0].answered, 20);
  EXPECT_EQ(holds[0].unlock_began, 30);
}

TEST(Holds, BeyondThoseThatAClientKeepsAreLeftOut) {
  const auto client = std::make_unique<ClientHolds>();
  for (std::uint64_t i = 0; i < ClientHolds::kMost + 2; ++i) {
    client->add(0, i, 10 * i, 10 * i + 1);
    client->note_release(10 * i + 2);
  }
  std::vector<Take> holds;
  client->append_to(holds, 0);
  EXPECT_EQ(holds.size(), ClientHolds::kMost);
  EXPECT_EQ(holds.back().unlock_began, static_cast<std::int64_t>(10 * ClientHolds::kMost - 8));
  client->clear();
  holds.clear();
  client->append_to(holds, 0);
  EXPECT_TRUE(holds.empty());
}

}  // namespace
}  // namespace lockbench::stress::services
