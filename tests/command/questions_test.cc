// SPDX-License-Identifier: Apache-2.0

#include "harness/command/advise/questions.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/plan/spelling.h"

namespace lockbench {
namespace {

using testing::HasSubstr;

// A machine of 6 processors that does 1,000,000 operations per second, and measures in 5 s.
absl::StatusOr<Asked> asked(const std::string& answers, std::string* said = nullptr) {
  std::istringstream in(answers);
  std::ostringstream out;
  Asked found{.wanted = {}, .machine = {}, .budget = std::chrono::seconds(30)};
  const AskedAbout about{.processors = 6,
                         .machines = {"epyc-7773x"},
                         .possible =
                             [](const AdviceCase& wanted) {
                               return *wanted.rate_per_s <= 1'000'000
                                          ? absl::OkStatus()
                                          : absl::InvalidArgumentError("too much");
                             },
                         .affordable =
                             [](const AdviceCase&, Nanoseconds budget) {
                               return budget >= std::chrono::seconds(5)
                                          ? absl::OkStatus()
                                          : absl::InvalidArgumentError("too little");
                             }};
  const absl::Status status = ask_case(in, out, about, found);
  if (said != nullptr) *said = out.str();
  if (!status.ok()) return status;
  return found;
}

TEST(Questions, AnswersMakeTheCase) {
  const auto found = asked("4\n10000\nhot:0.01,0.9\n2us\nn\n64000\nn\n10s\n");
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->wanted.cell.threads, 4u);
  EXPECT_EQ(found->wanted.cell.keys, 10000u);
  EXPECT_EQ(to_text(found->wanted.cell.key_distribution), "hot:0.01,0.9");
  EXPECT_EQ(to_text(found->wanted.cell.hold), "2us");
  EXPECT_EQ(found->wanted.rate_per_s, 64000u);
  EXPECT_FALSE(found->wanted.reentrant);
  EXPECT_EQ(found->wanted.cell.timeout, Nanoseconds(0));
  EXPECT_EQ(found->machine, "");
  EXPECT_EQ(found->budget, std::chrono::seconds(10));
}

TEST(Questions, AnEmptyLineTakesWhatStandsInBrackets) {
  std::string said;
  const auto found = asked("\n\n\n\n\n\n\n\n", &said);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->wanted.cell.threads, 6u);
  EXPECT_EQ(found->wanted.cell.keys, 1000u);
  EXPECT_EQ(to_text(found->wanted.cell.hold), "200ns");
  EXPECT_EQ(found->wanted.rate_per_s, std::nullopt);
  EXPECT_EQ(found->budget, std::chrono::seconds(30));
  EXPECT_THAT(said, HasSubstr("How many threads lock? [6] "));
}

TEST(Questions, MoreThreadsThanProcessorsMayBeForAnotherMachine) {
  std::string said;
  // What this machine could not do, a model may.
  const auto found = asked("32\nepic\nepyc-7773x\n\n\n\n\n2000000\n\n", &said);
  ASSERT_TRUE(found.ok()) << said;
  EXPECT_EQ(found->machine, "epyc-7773x");
  EXPECT_EQ(found->wanted.rate_per_s, 2'000'000u);
  EXPECT_THAT(said, HasSubstr("They share 6 processors here."));
  EXPECT_THAT(said, HasSubstr("'epic' is no machine that is known"));
  const auto here = asked("32\n\n\n\n\n\n\n\n\n", &said);
  ASSERT_TRUE(here.ok()) << said;
  EXPECT_EQ(here->machine, "");
}

TEST(Questions, AWrongAnswerIsExplainedAndAskedForAgain) {
  std::string said;
  const auto found =
      asked("many\n4\n8\nuniform\n200\n200ns\nperhaps\nn\noften\n2000000\n5\nn\n1s\n5s\n", &said);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->wanted.cell.threads, 4u);
  EXPECT_EQ(found->wanted.rate_per_s, 5u);
  for (const char* const part : {"no unit", "answer y or n", "'often'", "too much", "too little"}) {
    EXPECT_THAT(said, HasSubstr(part));
  }
}

TEST(Questions, LockingAgainAndFailingChooseWhatIsMeasured) {
  const auto again = asked("2\n8\n\n0\ny\nn\n\n");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(to_text(again->wanted.cell.workload), "nested:reentrant_lock_unlock");
  EXPECT_EQ(again->wanted.cell.keys, 1u);
  const auto failing = asked("2\n8\n\n0\nn\n\ny\n\n");
  ASSERT_TRUE(failing.ok());
  EXPECT_GT(failing->wanted.cell.timeout, Nanoseconds(0));
}

TEST(Questions, AnEndBeforeTheLastAnswerSaysWhichFlagsToUse) {
  const auto found = asked("2\n");
  ASSERT_FALSE(found.ok());
  EXPECT_THAT(std::string(found.status().message()), HasSubstr("--threads 8 --keys 1000"));
}

}  // namespace
}  // namespace lockbench
