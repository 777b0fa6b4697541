// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/advise/questions.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/bench/plan/spelling.h"

namespace lockbench {
namespace {

using testing::HasSubstr;

// A machine of 6 processors that does 1,000,000 operations per second, and measures in 5 s.
absl::StatusOr<Asked> asked(const std::string& answers, std::string* said = nullptr,
                            const std::vector<std::string>& kinds = {}) {
  std::istringstream in(answers);
  std::ostringstream out;
  Asked found{.wanted = {}, .question = {}, .machine = {}, .budget = {}};
  const AskedAbout about{.processors = 6,
                         .machines = {"epyc-7773x"},
                         .kinds =
                             [&kinds](const std::string& machine) {
                               return machine.empty() ? kinds : std::vector<std::string>{};
                             },
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
  const auto found = asked("mutex\n4\n10000\nhot:0.01,0.9\n2us\n64000\nnever\nany\n10s\n");
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->wanted.cell.threads, 4u);
  EXPECT_EQ(found->wanted.cell.keys, 10000u);
  EXPECT_EQ(to_text(found->wanted.cell.key_distribution), "hot:0.01,0.9");
  EXPECT_EQ(to_text(found->wanted.cell.hold), "2us");
  EXPECT_EQ(found->wanted.rate_per_s, 64000u);
  EXPECT_EQ(found->wanted.kind, QuestionKind::kMutex);
  EXPECT_EQ(found->wanted.cell.timeout, Nanoseconds(0));
  EXPECT_EQ(found->wanted.wait_limit, std::nullopt);
  EXPECT_EQ(found->machine, "");
  EXPECT_EQ(found->budget, std::chrono::seconds(10));
}

TEST(Questions, AnEmptyLineTakesWhatStandsInBrackets) {
  std::string said;
  const auto found = asked("\n\n\n\n\n\n\n\n\n", &said);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->wanted.cell.threads, 6u);
  EXPECT_EQ(found->wanted.cell.keys, 1000u);
  EXPECT_EQ(to_text(found->wanted.cell.hold), "200ns");
  EXPECT_EQ(found->wanted.rate_per_s, std::nullopt);
  EXPECT_EQ(found->budget, std::chrono::seconds(30));
  EXPECT_THAT(said, testing::StartsWith("What is your question (mutex: one thread at a time; "));
  EXPECT_THAT(said, HasSubstr("How many threads (or processes) lock? [6] "));
}

TEST(Questions, MoreThreadsThanProcessorsMayBeForAnotherMachine) {
  std::string said;
  // A machine model may do what this machine could not do.
  const auto found = asked("\n32\nepic\nepyc-7773x\n\n\n\n2000000\n\n", &said);
  ASSERT_TRUE(found.ok()) << said;
  EXPECT_EQ(found->machine, "epyc-7773x");
  EXPECT_EQ(found->wanted.rate_per_s, 2'000'000u);
  EXPECT_THAT(said, HasSubstr("They share 6 processors here."));
  EXPECT_THAT(said, HasSubstr("'epic' is no machine that is known"));
  const auto here = asked("\n32\n\n\n\n\n\n\n\n\n", &said);
  ASSERT_TRUE(here.ok()) << said;
  EXPECT_EQ(here->machine, "");
}

TEST(Questions, AWrongAnswerIsExplainedAndAskedForAgain) {
  std::string said;
  const auto found = asked(
      "lock\nmutex\nmany\n4\n8\nuniform\n200\n200ns\noften\n2000000\n5\nsoon\nnever\n0\nany\n1s\n5s"
      "\n",
      &said);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->wanted.cell.threads, 4u);
  EXPECT_EQ(found->wanted.rate_per_s, 5u);
  for (const char* const part : {"'lock' is none of them", "no unit", "'often'", "too much",
                                 "'soon'", "nothing waits so short", "too little"}) {
    EXPECT_THAT(said, HasSubstr(part));
  }
}

TEST(Questions, TheKindOfQuestionDecidesWhatIsAsked) {
  struct Row {
    std::string answers;
    std::string workload;
    std::uint64_t keys;
  };
  for (const Row& row :
       {Row{"readers\n99%\n2\n8\n\n20us\n\n\n\n\n", "read_mostly", 8},
        Row{"nested\n5\n2\n20us\n\n\n\n", "nested:reentrant_lock_unlock", 1},
        Row{"several\n2\n1\n8\n\n20us\n\n\n\n", "transfer", 8},  // two of one key are asked again
        Row{"capacity\n3\n2\n8\n\n20us\n\n\n\n\n", "checkout", 8},
        Row{"processes\n2\n20us\n\n\n\n\n", "file_counter", 1}}) {
    std::string said;
    const auto found = asked(row.answers, &said);
    ASSERT_TRUE(found.ok()) << said;
    EXPECT_EQ(to_text(found->wanted.cell.workload), row.workload);
    EXPECT_EQ(found->wanted.cell.keys, row.keys);
    EXPECT_EQ(to_text(found->wanted.cell.hold), "20us");
    EXPECT_EQ(found->wanted.cell.threads, 2u);
  }
}

TEST(Questions, WaitsHaveLimits) {
  // If locking may fail, the p99 of the other waits says little, and is not asked for.
  const auto failing = asked("readers\n99%\n2\n8\n\n20us\n1000\n5ms\n\n");
  ASSERT_TRUE(failing.ok());
  EXPECT_EQ(failing->wanted.cell.write_share, 1 - 0.99);
  EXPECT_EQ(failing->wanted.cell.timeout, Nanoseconds(5'000'000));
  EXPECT_EQ(failing->wanted.wait_limit, std::nullopt);
  const auto limited = asked("readers\n99%\n2\n8\n\n20us\n1000\nnever\n100us\n\n");
  ASSERT_TRUE(limited.ok());
  EXPECT_EQ(limited->wanted.wait_limit, Nanoseconds(100'000));
}

TEST(Questions, OnlyAMachineWithSeveralKindsOfCoresIsAskedWhereTheThreadsRun) {
  const std::vector<std::string> kinds{"fast", "slow"};
  std::string said;
  const auto fast = asked("\n4\nmiddle\nfast\n\n\n\n\n\n\n\n", &said, kinds);
  ASSERT_TRUE(fast.ok()) << said;
  EXPECT_THAT(said, HasSubstr("On which cores do the threads run (all: the fast ones first"));
  EXPECT_THAT(said,
              HasSubstr("--cores middle: the usable cores of this machine are fast and slow"));
  EXPECT_EQ(fast->wanted.cores, "fast");
  EXPECT_EQ(fast->wanted.cell.pinning, "kind:fast");
  const auto all = asked("\n4\n\n\n\n\n\n\n\n\n", &said, kinds);
  ASSERT_TRUE(all.ok()) << said;
  EXPECT_EQ(all->wanted.cell.pinning, "none");
  // The machine model has one kind.
  const auto of_machine_model = asked("\n32\nepyc-7773x\n\n\n\n\n\n", &said, kinds);
  ASSERT_TRUE(of_machine_model.ok()) << said;
  EXPECT_THAT(said, testing::Not(HasSubstr("which cores")));
  ASSERT_TRUE(asked("\n\n\n\n\n\n\n\n\n", &said).ok());
  EXPECT_THAT(said, testing::Not(HasSubstr("cores")));
}

TEST(Questions, AnEndBeforeTheLastAnswerSaysWhichFlagsToUse) {
  const auto found = asked("mutex\n2\n");
  ASSERT_FALSE(found.ok());
  EXPECT_THAT(std::string(found.status().message()), HasSubstr("--threads 8 --keys 1000"));
}

}  // namespace
}  // namespace lockbench
