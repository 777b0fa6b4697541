// SPDX-License-Identifier: Apache-2.0

// LookPace: how long a thread that spins for a lock waits between two looks.
#include "primitives/internal/look_pace.h"

#include <gtest/gtest.h>

namespace lockbench::internal {
namespace {

constexpr std::uint64_t kHit = 50;  // ticks, here and below
constexpr std::uint64_t kFetch = 400;

// After so many looks that fetched the line, so its time is known.
LookPace pace_after(int fetches) {
  LookPace pace;
  pace.begin(kHit, false);
  for (int i = 0; i < fetches; ++i) pace.note(kFetch);
  return pace;
}

// A wait whose looks fetch the line, each after one that was a hit.
LookPace prompt_pace_after(int fetches) {
  LookPace pace = pace_after(100);
  pace.begin(kHit, true);
  for (int i = 0; i < fetches; ++i) {
    pace.note(kHit);
    pace.note(kFetch);
  }
  return pace;
}

TEST(LookPace, LooksThatDisturbNobodyAreRepeatedSoon) {
  LookPace pace = pace_after(0);
  const std::uint64_t first = pace.interval();
  for (int i = 0; i < 1000; ++i) pace.note(kHit);
  EXPECT_EQ(pace.interval(), first);
  EXPECT_LT(first, pace.usual_interval());
}

TEST(LookPace, TheIntervalDoublesWithEachLookThatTookTheLineUpToTheUsualOne) {
  LookPace pace = pace_after(100);
  pace.begin(kHit, false);
  const std::uint64_t first = pace.interval();
  pace.note(kFetch);
  EXPECT_EQ(pace.interval(), 2 * first);
  for (int i = 0; i < 10; ++i) pace.note(kFetch);
  EXPECT_EQ(pace.interval(), pace.usual_interval());
}

TEST(LookPace, APromptWaitLooksOftenAlthoughSomeLooksTookTheLine) {
  LookPace pace = pace_after(100);
  pace.begin(kHit, false);
  const std::uint64_t usual_first = pace.interval();
  EXPECT_EQ(prompt_pace_after(6).interval(), prompt_pace_after(0).interval());
  EXPECT_LT(prompt_pace_after(6).interval(), usual_first / 4);
  // Then it looks less often, as any wait.
  EXPECT_GT(prompt_pace_after(7).interval(), usual_first);
  EXPECT_EQ(prompt_pace_after(20).interval(), pace_after(100).usual_interval());
}

TEST(LookPace, APromptWaitEndsWhereTheLineIsWrittenBetweenTwoLooksInARow) {
  LookPace pace = prompt_pace_after(1);
  const std::uint64_t prompt = pace.interval();
  pace.note(kFetch);
  EXPECT_GT(pace.interval(), 8 * prompt);
}

TEST(LookPace, ALongWaitMayLookLessOftenWhereThereAreManyProcessors) {
  LookPace pace = pace_after(100);
  pace.relax(1);
  pace.note(kFetch);
  EXPECT_EQ(pace.interval(), pace.usual_interval());
  for (int i = 0; i < 10; ++i) pace.relax(4);
  for (int i = 0; i < 10; ++i) pace.note(kFetch);
  EXPECT_EQ(pace.interval(), 4 * pace.usual_interval());
}

TEST(LookPace, IntervalsFollowWhatAFetchTakes) {
  LookPace near = pace_after(100);
  LookPace far = pace_after(100);
  for (int i = 0; i < 100; ++i) far.note(3 * kFetch);
  EXPECT_GT(far.usual_interval(), 2 * near.usual_interval());
  // The thread keeps it for its next wait.
  far.begin(kHit, false);
  near.begin(kHit, false);
  EXPECT_GT(far.interval(), 2 * near.interval());
}

TEST(LookPace, OneInterruptedLookSaysLittleAboutTheLine) {
  LookPace pace = pace_after(100);
  const std::uint64_t before = pace.usual_interval();
  pace.note(1'000'000 * kFetch);
  EXPECT_LT(pace.usual_interval(), 2 * before);
}

}  // namespace
}  // namespace lockbench::internal
