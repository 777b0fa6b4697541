// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/plan/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/quantity.h"
#include "harness/bench/plan/spelling.h"
#include "tests/base/message_of.h"

namespace lockbench {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr CellTraits kPlain;

Cell timed() {
  Cell cell;
  cell.primitive = {"keyed", {}};
  cell.workload = {"counter", {}};
  cell.window = milliseconds(100);
  return cell;
}

Cell article(const char* primitive) {
  Cell cell = timed();
  cell.primitive = parse_primitive(primitive).value();
  cell.mode = Mode::kFixed;
  cell.window = Nanoseconds{0};
  cell.threads = 21;
  cell.keys = 6;
  cell.operations = 1;
  cell.hold = parse_work("sleep:100ms").value();
  cell.key_distribution = parse_key_distribution("assigned:6,2,5,3,2,3").value();
  return cell;
}

template <class Change>
std::string refused(Cell cell, Change change) {
  change(cell);
  return message_of(check_cell(cell));
}

TEST(CheckCell, AcceptsWhatCanBeMeasured) {
  EXPECT_EQ(message_of(check_cell(timed())), "OK");
  EXPECT_EQ(message_of(check_cell(article("keyed"))), "OK");
}

TEST(CheckCell, RefusesCountsOutOfRange) {
  EXPECT_EQ(refused(timed(), [](Cell& c) { c.threads = 0; }),
            "threads: 0 is out of range: 1 to 4096");
  EXPECT_EQ(refused(timed(), [](Cell& c) { c.threads = 4097; }),
            "threads: 4097 is out of range: 1 to 4096");
  EXPECT_EQ(refused(timed(), [](Cell& c) { c.keys = 0; }),
            "keys: 0 is out of range: 1 to 1073741824");
  EXPECT_EQ(refused(timed(), [](Cell& c) { c.keys = Cell::kMaxKeys + 1; }),
            "keys: 1073741825 is out of range: 1 to 1073741824");
}

TEST(CheckCell, RefusesNegativeTimes) {
  EXPECT_EQ(refused(timed(), [](Cell& c) { c.hold.duration = Nanoseconds{-200}; }),
            "hold: -200ns is negative; 0 is the least");
  EXPECT_EQ(refused(timed(), [](Cell& c) { c.timeout = Nanoseconds{-1}; }),
            "timeout: -1ns is negative; 0 is the least");
  EXPECT_EQ(refused(timed(), [](Cell& c) { c.think.duration = Nanoseconds::max(); }),
            "think: 9223372036.854775807s is longer than a day");
}

TEST(CheckCell, EachModeHasItsOwnEnd) {
  EXPECT_THAT(refused(timed(), [](Cell& c) { c.window = Nanoseconds{0}; }),
              HasSubstr("window: mode timed wants one longer than 0"));
  EXPECT_THAT(refused(timed(), [](Cell& c) { c.operations = 1; }),
              HasSubstr("operations: time decides how many in mode timed"));
  EXPECT_THAT(refused(timed(), [](Cell& c) { c.mode = Mode::kMicro; }),
              HasSubstr("micro has neither window nor operations"));
  EXPECT_THAT(refused(timed(), [](Cell& c) { c.mode = Mode::kFixed; }),
              HasSubstr("operations: mode fixed wants how many each thread does"));
}

TEST(CheckCell, AssignedCountsMustAddUp) {
  EXPECT_EQ(refused(article("keyed"), [](Cell& c) { c.keys = 7; }),
            "keys: 7, but 6 counts are assigned; leave keys out, or assign as many");
  EXPECT_EQ(refused(article("keyed"), [](Cell& c) { c.threads = 20; }),
            "key_distribution: the assigned counts add up to 21, but 20 threads do 1 operations "
            "each; the sums must be equal");
  EXPECT_THAT(refused(article("keyed"), [](Cell& c) { c.operations = 2; }),
              HasSubstr("add up to 21, but 21 threads do 2"));
  EXPECT_EQ(
      refused(timed(), [](Cell& c) { c.key_distribution = article("keyed").key_distribution; }),
      "key_distribution: assigned counts want mode fixed");
}

TEST(StallLimit, IsNeverShortOfWhatOneOperationNeeds) {
  EXPECT_GE(stall_limit_of(timed(), kPlain), seconds(2));
  Cell slow = timed();
  slow.hold = parse_work("sleep:1s").value();
  slow.think = parse_work("sleep:1s").value();
  EXPECT_GE(stall_limit_of(slow, kPlain), seconds(40));
  Cell crowded = timed();
  crowded.threads = 4096;
  EXPECT_GE(stall_limit_of(crowded, kPlain), seconds(40));
}

TEST(TimeLimit, LeavesRoomForAllHoldsInTurn) {
  EXPECT_GE(time_limit_of(article("global"), kPlain), milliseconds(2 * 2100));
  Cell timed_and_slow = timed();
  timed_and_slow.threads = 1000;
  timed_and_slow.hold = parse_work("sleep:100ms").value();
  EXPECT_GE(time_limit_of(timed_and_slow, kPlain), seconds(100));
  EXPECT_GE(time_limit_of(timed(), kPlain), 2 * stall_limit_of(timed(), kPlain));
}

TEST(Limits, AllowForTheSlowestCore) {
  const Cell cell = article("keyed");
  CellTraits hybrid;
  hybrid.slowest_work = 4;
  EXPECT_EQ(expected_duration(cell, hybrid), expected_duration(cell, kPlain));
  // 21 holds of 100 ms more in turn for each fold, twice.
  EXPECT_GE(time_limit_of(cell, hybrid) - time_limit_of(cell, kPlain),
            2 * 3 * 21 * milliseconds(100));
  EXPECT_GT(stall_limit_of(cell, hybrid), stall_limit_of(cell, kPlain));
}

TEST(TimeLimit, IsCappedAndNotOverflowed) {
  Cell endless = article("global");
  endless.threads = 4096;
  endless.operations = 1'000'000'000'000;
  endless.hold = parse_work("sleep:86400s").value();
  EXPECT_EQ(time_limit_of(endless, kPlain), kLongestDuration);
  EXPECT_EQ(stall_limit_of(endless, kPlain), kLongestDuration);
}

TEST(ExpectedDuration, OfATimedTrialIsWarmUpAndWindow) {
  Cell cell = timed();
  cell.warmup = milliseconds(20);
  EXPECT_EQ(expected_duration(cell, kPlain), milliseconds(120));
}

TEST(ExpectedDuration, OfFixedWorkIsItsIdeal) {
  const auto expected = [](CellTraits traits) { return expected_duration(article("any"), traits); };
  EXPECT_EQ(expected({.holders_of_a_key = 21}), milliseconds(100));
  EXPECT_EQ(expected({.one_lock = true}), milliseconds(2100));
  EXPECT_EQ(expected(kPlain), milliseconds(600));
  EXPECT_EQ(expected({.holders_of_a_key = 3}), milliseconds(200));
  EXPECT_EQ(expected({.acquisitions_per_operation = 5}), milliseconds(3000));
}

TEST(Limits, GrowWithTheAcquisitionsOfAnOperation) {
  Cell cell = article("any");
  cell.hold = parse_work("sleep:1s").value();
  const CellTraits five{.acquisitions_per_operation = 5};
  EXPECT_GE(stall_limit_of(cell, five), seconds(100));
  EXPECT_GE(time_limit_of(cell, five), 2 * seconds(5 * 21));
}

}  // namespace
}  // namespace lockbench
