// SPDX-License-Identifier: Apache-2.0

#include "harness/measure/pinning.h"

#include <set>
#include <string>

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

TEST(PlaceThreads, NoneBindsNobody) {
  EXPECT_EQ(placed("none", 3), Numbers{});
  EXPECT_EQ(placed("none", 3, {}), Numbers{});
}

TEST(PlaceThreads, CompactFillsOneCoreAfterTheOther) {
  EXPECT_EQ(placed("compact", 4), (Numbers{0, 2, 1, 3}));
  EXPECT_EQ(placed("compact", 2), (Numbers{0, 2}));
}

TEST(PlaceThreads, ScatterTakesOneOfEachCoreFirst) {
  EXPECT_EQ(placed("scatter", 4), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(placed("scatter", 2), (Numbers{0, 1}));
}

TEST(PlaceThreads, ScatterEndsOnTheCoresThatHaveMoreHardwareThreads) {
  const std::vector<Processor> uneven = {{0, 0}, {1, 0}, {2, 1}, {4, 2}, {5, 2}};
  EXPECT_EQ(placed("scatter", 5, uneven), (Numbers{0, 2, 4, 1, 5}));
}

TEST(PlaceThreads, OneCoreIsTheFirstProcessorForAll) {
  EXPECT_EQ(placed("one-core", 3), (Numbers{0, 0, 0}));
}

TEST(PlaceThreads, AListIsTakenInItsOrder) {
  EXPECT_EQ(placed("3", 2), (Numbers{3, 3}));
  EXPECT_EQ(placed("2,0", 2), (Numbers{2, 0}));
  EXPECT_EQ(placed("1-3,0", 4), (Numbers{1, 2, 3, 0}));
  EXPECT_EQ(placed("1,1,2", 3), (Numbers{1, 1, 2}));
}

TEST(PlaceThreads, ThreadsBeyondTheListStartOverAtItsFront) {
  EXPECT_EQ(placed("compact", 6), (Numbers{0, 2, 1, 3, 0, 2}));
  EXPECT_EQ(placed("2,0", 5), (Numbers{2, 0, 2, 0, 2}));
}

TEST(PlaceThreads, WhatIsNoListIsRefusedWithWhatWouldBeRight) {
  for (const std::string wrong : {"", "compakt", ",", "0,", ",0", "0,,1", "0-", "-1", "2-1", "0-x",
                                  "0 1", "1.5", "0-99999999999"}) {
    EXPECT_EQ(complaint(wrong), "pinning '" + wrong +
                                    "' is none of none, compact, scatter, one-core or a list of "
                                    "processors like 0,2,4-7");
  }
}

TEST(PlaceThreads, AProcessorThatMayNotBeUsedIsRefusedWithThoseThatMay) {
  EXPECT_EQ(complaint("0,4"), "pinning names processor 4, but this process may use only 0,2,1,3");
  EXPECT_EQ(complaint("2000"),
            "pinning names processor 2000, but this process may use only 0,2,1,3");
  EXPECT_EQ(complaint("2-7"), "pinning names processor 4, but this process may use only 0,2,1,3");
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

}  // namespace
}  // namespace lockbench
