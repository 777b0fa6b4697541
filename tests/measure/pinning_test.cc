// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/measure/pinning.h"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/kernel/processors.h"

namespace lockbench {
namespace {

using Numbers = std::vector<int>;

// Two cores of two hardware threads, numbered as many kernels do, in the order of the machine.
const std::vector<Processor> kMachine = {{0, 0}, {2, 0}, {1, 1}, {3, 1}};

Numbers placed(std::string_view pinning, std::uint32_t threads,
               const std::vector<Processor>& machine = kMachine) {
  const absl::StatusOr<Numbers> placement = place_threads(pinning, threads, machine);
  EXPECT_TRUE(placement.ok()) << placement.status();
  return placement.value_or(Numbers{});
}

std::string complaint(std::string_view pinning) {
  const absl::Status status = place_threads(pinning, 4, kMachine).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

// Two fast cores of two hardware threads, numbered after two slow ones of one.
const std::vector<Processor> kHybrid = {{.number = 0, .core = 0, .rank = 1, .kind = "slow"},
                                        {.number = 1, .core = 1, .rank = 1, .kind = "slow"},
                                        {.number = 2, .core = 2, .kind = "fast"},
                                        {.number = 3, .core = 2, .kind = "fast"},
                                        {.number = 4, .core = 3, .kind = "fast"},
                                        {.number = 5, .core = 3, .kind = "fast"}};

TEST(PlaceThreads, PutsFastCoresFirstThenSlowOnesThenSecondThreads) {
  EXPECT_EQ(placed("scatter", 7, kHybrid), (Numbers{2, 4, 0, 1, 3, 5, 2}));
  EXPECT_EQ(placed("compact", 6, kHybrid), (Numbers{2, 3, 4, 5, 0, 1}));
  EXPECT_EQ(placed("one-core", 2, kHybrid), (Numbers{2, 2}));
}

TEST(PlaceThreads, BindsToTheKindsThatThePinningNames) {
  EXPECT_EQ(placed("kind:fast", 5, kHybrid), (Numbers{2, 4, 3, 5, 2}));
  EXPECT_EQ(placed("kind:slow", 3, kHybrid), (Numbers{0, 1, 0}));
  EXPECT_EQ(placed("mixed:1+2", 3, kHybrid), (Numbers{2, 0, 1}));
  EXPECT_EQ(placed("mixed:1+1", 4, kHybrid), (Numbers{2, 0, 2, 0}));
  EXPECT_EQ(placed("mixed:0+1", 2, kHybrid), (Numbers{0, 0}));
  EXPECT_EQ(placed("mixed:5", 5, kHybrid), (Numbers{2, 4, 3, 5, 2}));
}

TEST(PlaceThreads, RefusesKindsThatThisProcessMayNotUse) {
  EXPECT_EQ(complaint("kind:slow"),
            "pinning kind:slow: the usable cores are of one kind; say scatter");
  EXPECT_EQ(complaint("mixed:2"), "pinning mixed:2: the usable cores are of one kind; say scatter");
  const auto status = [](std::string_view pinning) {
    return std::string(place_threads(pinning, 1, kHybrid).status().message());
  };
  EXPECT_EQ(status("kind:middle"), "pinning kind:middle: the usable cores are fast and slow");
  EXPECT_EQ(status("mixed:1+1+1"), "pinning mixed:1+1+1: the usable cores are fast and slow");
}

TEST(PlaceThreads, TakesTheNameOfTheOnlyKindThatThisProcessMayUse) {
  EXPECT_EQ(placed("kind:slow", 3, {kHybrid[0], kHybrid[1]}), (Numbers{0, 1, 0}));
}

TEST(RanksOf, AreThoseOfTheThreadsProcessors) {
  EXPECT_EQ(ranks_of({2, 0, 4}, kHybrid), (Numbers{0, 1, 0}));
  EXPECT_EQ(ranks_of({0, 1}, kMachine), Numbers{});
  EXPECT_EQ(fastest_of(kHybrid), 2);
  EXPECT_EQ(fastest_of({}), std::nullopt);
}

TEST(ThreadsByKind, CountsThoseThatAreBoundToEach) {
  EXPECT_EQ(threads_by_kind({2, 4, 0}, kHybrid), "fast 2, slow 1");
  EXPECT_EQ(threads_by_kind({0, 0}, kHybrid), "slow 2");
  EXPECT_EQ(threads_by_kind({}, kHybrid), "");
  EXPECT_EQ(threads_by_kind({0, 1}, kMachine), "");
  // A control group that allows slow cores alone: one kind.
  EXPECT_EQ(threads_by_kind({0, 1}, {kHybrid[0], kHybrid[1]}), "");
}

TEST(PlaceThreads, BindsThreadsInTheOrderOfThePinningAndStartsOver) {
  struct {
    const char* pinning;
    std::uint32_t threads;
    Numbers expected;
  } const rows[] = {
      {"none", 3, {}},
      // One core after the other.
      {"compact", 4, {0, 2, 1, 3}},
      {"compact", 2, {0, 2}},
      {"compact", 6, {0, 2, 1, 3, 0, 2}},
      // One of each core first.
      {"scatter", 4, {0, 1, 2, 3}},
      {"scatter", 2, {0, 1}},
      {"one-core", 3, {0, 0, 0}},
      // A list in its order.
      {"3", 2, {3, 3}},
      {"2,0", 5, {2, 0, 2, 0, 2}},
      {"1-3,0", 4, {1, 2, 3, 0}},
      {"1,1,2", 3, {1, 1, 2}},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(placed(row.pinning, row.threads), row.expected) << row.pinning;
  }
  EXPECT_EQ(placed("none", 3, {}), Numbers{});
}

TEST(PlaceThreads, ScatterEndsOnTheCoresThatHaveMoreHardwareThreads) {
  const std::vector<Processor> uneven = {{0, 0}, {1, 0}, {2, 1}, {4, 2}, {5, 2}};
  EXPECT_EQ(placed("scatter", 5, uneven), (Numbers{0, 2, 4, 1, 5}));
}

TEST(PlaceThreads, WhatIsNoListIsRefusedWithWhatWouldBeRight) {
  for (const std::string wrong : {"", "compakt", ",", "0,", ",0", "0,,1", "0-", "-1", "2-1", "0-x",
                                  "0 1", "1.5", "0-99999999999"}) {
    EXPECT_EQ(
        complaint(wrong),
        "pinning '" + wrong +
            "' is none of none, compact, scatter, one-core, kind:fast, mixed:2+2 or a list of "
            "processors like 0,2,4-7");
  }
}

TEST(PlaceThreads, AProcessorThatMayNotBeUsedIsRefusedWithThoseThatMay) {
  EXPECT_EQ(complaint("0,4"), "pinning names processor 4; usable are only 0,2,1,3");
  EXPECT_EQ(complaint("2000"), "pinning names processor 2000; usable are only 0,2,1,3");
  EXPECT_EQ(complaint("2-7"), "pinning names processor 4; usable are only 0,2,1,3");
}

TEST(PlaceThreads, AnUnknownMachineCannotBePinnedOn) {
  EXPECT_EQ(place_threads("compact", 2, {}).status().code(), absl::StatusCode::kUnavailable);
}

TEST(AllowedProcessors, AreAsManyAsAreUsableAndEachOnce) {
  std::set<int> numbers;
  for (const Processor& processor : allowed_processors()) numbers.insert(processor.number);
  EXPECT_EQ(numbers.size(), allowed_processors().size());
  EXPECT_EQ(numbers.size(), usable_processors());
}

// All threads on the last processor: no pinning that has a name places two threads there.
TEST(ProcessorsFor, AreThoseThatTheParentHasPlacedTheThreadsOn) {
  const std::vector<int> given(2, allowed_processor_numbers().back());
  if (given.back() == allowed_processors().front().number) GTEST_SKIP() << "one processor";
  for (const std::string pinning : {"compact", "scatter", "one-core"}) {
    EXPECT_EQ(processors_for(pinning, 2, given).value(), given) << pinning;
  }
}

TEST(ProcessorsFor, ArePlacedAgainIfThoseOfTheParentDoNotFit) {
  const std::vector<int> here = processors_for("compact", 2).value();
  const int first = allowed_processor_numbers().front();
  const int absent = allowed_processor_numbers().back() + 1;
  for (const std::vector<int>& given :
       {std::vector<int>{}, {first}, {first, first, first}, {first, absent}}) {
    EXPECT_EQ(processors_for("compact", 2, given).value(), here) << given.size();
  }
  EXPECT_EQ(processors_for("none", 1, {first}).value(), std::vector<int>{});
}

}  // namespace
}  // namespace lockbench
