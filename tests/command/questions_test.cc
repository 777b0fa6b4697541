// SPDX-License-Identifier: Apache-2.0

#include "harness/command/advise/questions.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/plan/spelling.h"

namespace lockbench {
namespace {

using testing::HasSubstr;

absl::StatusOr<AdviceCase> asked(const std::string& answers, std::string* said = nullptr) {
  std::istringstream in(answers);
  std::ostringstream out;
  const absl::StatusOr<AdviceCase> wanted = ask_case(in, out, 6);
  if (said != nullptr) *said = out.str();
  return wanted;
}

TEST(Questions, AnswersMakeTheCase) {
  const auto wanted = asked("32\n10000\nzipf:0.99\n2us\nn\nn\n");
  ASSERT_TRUE(wanted.ok());
  EXPECT_EQ(wanted->cell.threads, 32u);
  EXPECT_EQ(wanted->cell.keys, 10000u);
  EXPECT_EQ(to_text(wanted->cell.key_distribution), "zipf:0.99");
  EXPECT_EQ(to_text(wanted->cell.hold), "2us");
  EXPECT_FALSE(wanted->reentrant);
  EXPECT_EQ(wanted->cell.timeout, Nanoseconds(0));
}

TEST(Questions, AnEmptyLineTakesWhatStandsInBrackets) {
  std::string said;
  const auto wanted = asked("\n\n\n\n\n\n", &said);
  ASSERT_TRUE(wanted.ok());
  EXPECT_EQ(wanted->cell.threads, 6u);
  EXPECT_EQ(wanted->cell.keys, 1000u);
  EXPECT_EQ(to_text(wanted->cell.hold), "200ns");
  EXPECT_THAT(said, HasSubstr("How many threads lock? [6] "));
}

TEST(Questions, AWrongAnswerIsExplainedAndAskedForAgain) {
  std::string said;
  const auto wanted = asked("many\n4\n8\nuniform\n200\n200ns\nperhaps\nn\nn\n", &said);
  ASSERT_TRUE(wanted.ok());
  EXPECT_EQ(wanted->cell.threads, 4u);
  EXPECT_THAT(said, HasSubstr("no unit"));
  EXPECT_THAT(said, HasSubstr("answer y or n"));
}

TEST(Questions, LockingAgainAndFailingChooseWhatIsMeasured) {
  const auto again = asked("2\n8\n\n0\ny\nn\n");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(to_text(again->cell.workload), "nested:reentrant_lock_unlock");
  EXPECT_EQ(again->cell.keys, 1u);
  const auto failing = asked("2\n8\n\n0\nn\ny\n");
  ASSERT_TRUE(failing.ok());
  EXPECT_GT(failing->cell.timeout, Nanoseconds(0));
}

TEST(Questions, AnEndBeforeTheLastAnswerSaysWhichFlagsToUse) {
  const auto wanted = asked("2\n");
  ASSERT_FALSE(wanted.ok());
  EXPECT_THAT(std::string(wanted.status().message()), HasSubstr("--threads 8 --keys 1000"));
}

}  // namespace
}  // namespace lockbench
