// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/search/schedule.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockbench::stress::explore {
namespace {

using ::testing::HasSubstr;

TEST(Schedule, IsWrittenWithRepeatsCountedAndReadAgain) {
  const Schedule schedule = {.decisions = {{Option::kRun, 1},
                                           {Option::kRun, 1},
                                           {Option::kRun, 2},
                                           {Option::kFlush, 1},
                                           {Option::kTime, 0},
                                           {Option::kRun, 12}}};
  EXPECT_EQ(to_text(schedule), "1*2.2.f1.t.12");
  const absl::StatusOr<Schedule> read = schedule_from("1*2.2.f1.t.12");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, schedule);
}

TEST(Schedule, SaysWhichStoreWasReadOrFollowed) {
  const Schedule schedule = {.decisions = {{Option::kRun, 1},
                                           {Option::kRead, 3},
                                           {Option::kPosition, 1},
                                           {Option::kArrive, 2},
                                           {Option::kSettle, 0},
                                           {Option::kSpurious, 2}}};
  EXPECT_EQ(to_text(schedule), "1.r3.w1.a2.e.s2");
  const absl::StatusOr<Schedule> read = schedule_from("1.r3.w1.a2.e.s2");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, schedule);
}

// Else a report would print no schedule where one has become empty, and who gave it back would
// have the program explored anew.
TEST(Schedule, ThatTellsNothingIsATextToo) {
  EXPECT_EQ(to_text(Schedule{}), "-");
  EXPECT_EQ(*schedule_from("-"), Schedule{});
}

// Without them, a failure would replay as another one, or not at all.
TEST(Schedule, SaysUnderWhichConditionsItWasExecuted) {
  const Schedule patient = {.conditions = {.patient = true}};
  const Schedule both = {.conditions = {.patient = true, .races_end_it = false},
                         .decisions = {{Option::kRun, 1}}};
  EXPECT_EQ(to_text(patient), "p");
  EXPECT_EQ(to_text(both), "p.d.1");
  EXPECT_EQ(*schedule_from("p"), patient);
  EXPECT_EQ(*schedule_from("p.d.1"), both);
}

TEST(Schedule, RefusesWhatIsNoDecision) {
  for (const char* text : {"x", "1*", "1*x", "16", "f", "r", "w25", "a16", "-1", "1..2", "1.-",
                           "1*99999999", "t*2x", "1.p", "d.d", "p*2"}) {
    const absl::StatusOr<Schedule> read = schedule_from(text);
    ASSERT_EQ(read.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(read.status().message()), HasSubstr("is no decision"));
  }
}

}  // namespace
}  // namespace lockbench::stress::explore
