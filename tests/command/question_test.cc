// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/advise/question.h"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/bench/catalog/catalog.h"
#include "harness/bench/plan/spelling.h"

namespace lockbench {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr auto k5ms = std::chrono::milliseconds(5);

// The case with 8 threads; with 0 keys, the question must say how many there are.
AdviceCase case_with(std::uint64_t keys) {
  AdviceCase wanted;
  wanted.cell.threads = 8;
  wanted.cell.keys = keys;
  return wanted;
}

std::string refusal(const Question& question, std::uint64_t keys = 0) {
  AdviceCase wanted = case_with(keys);
  return std::string(pose(question, wanted).message());
}

absl::StatusOr<CellTraits> check_here(const Cell& cell) {
  return Catalog::standard().check(cell);
}

// The primitives that are measured for a question: the candidates that its workload accepts.
std::set<std::string> measured(const Question& question, std::uint64_t keys) {
  AdviceCase wanted = case_with(keys);
  const absl::Status posed = pose(question, wanted);
  EXPECT_TRUE(posed.ok()) << posed;
  const absl::StatusOr<Plan> plan = advice_plan(wanted, std::chrono::minutes(10), check_here);
  EXPECT_TRUE(plan.ok()) << plan.status();
  std::set<std::string> found;
  for (const Trial& trial : plan->trials) {
    EXPECT_EQ(trial.cell.workload, wanted.cell.workload);
    found.insert(to_text(trial.cell.primitive));
  }
  return found;
}

TEST(Question, DeterminesTheWorkload) {
  struct Row {
    Question question;
    std::uint64_t keys;
    std::string workload;
  };
  for (const Row& row :
       {Row{{}, 10, "counter"}, Row{{.reads = 0.95}, 10, "read_mostly"},
        Row{{.nested = 3}, 0, "nested:mixed_lock_unlock"},
        Row{{.nested = 4}, 0, "nested:reentrant_lock_unlock"}, Row{{.several = 2}, 10, "transfer"},
        Row{{.capacity = 4}, 3, "checkout"}, Row{{.processes = true}, 0, "file_counter"},
        Row{{.across_machines = true}, 10, "counter"}, Row{{.timeout = k5ms}, 10, "counter"}}) {
    AdviceCase wanted = case_with(row.keys);
    ASSERT_TRUE(pose(row.question, wanted).ok()) << row.workload;
    EXPECT_EQ(to_text(wanted.cell.workload), row.workload);
    EXPECT_GT(wanted.cell.keys, 0u) << row.workload;
  }
}

TEST(Question, DeterminesTheParameters) {
  AdviceCase wanted = case_with(1);
  ASSERT_TRUE(pose({.reads = 0.75, .timeout = k5ms}, wanted).ok());
  EXPECT_EQ(wanted.cell.write_share, 0.25);
  EXPECT_EQ(wanted.cell.timeout, k5ms);
  ASSERT_TRUE(pose({.wait_limit = Nanoseconds(10)}, wanted).ok());
  EXPECT_EQ(wanted.wait_limit, Nanoseconds(10));
  ASSERT_TRUE(pose({.capacity = 7}, wanted).ok());
  EXPECT_EQ(wanted.capacity, 7u);
}

TEST(Question, SaysHowTheWorkloadDiffersFromIt) {
  EXPECT_THAT(differences_of({}), IsEmpty());
  EXPECT_THAT(differences_of({.reads = 0.95}), IsEmpty());
  // One write a second among a million operations.
  EXPECT_THAT(differences_of({.reads = 0.999999}), Contains(HasSubstr("one operation in 512")));
  AdviceCase wanted = case_with(1);
  ASSERT_TRUE(pose({.reads = 0.999999}, wanted).ok());
  EXPECT_EQ(wanted.cell.write_share, kLeastWriteShare);
  EXPECT_THAT(differences_of({.nested = 2}), Contains(HasSubstr("up to 3 deep")));
  EXPECT_THAT(differences_of({.nested = 5}), Contains(HasSubstr("5 deep")));
}

TEST(Question, OfTwoKindsIsRefusedWithTheReason) {
  const Question kinds[] = {{.reads = 0.9},  {.nested = 3},       {.several = 2},
                            {.capacity = 4}, {.processes = true}, {.across_machines = true}};
  const std::string flags[] = {"--reads",    "--nested",    "--several",
                               "--capacity", "--processes", "--across-machines"};
  for (std::size_t i = 0; i < std::size(kinds); ++i) {
    for (std::size_t j = i + 1; j < std::size(kinds); ++j) {
      Question both = kinds[i];
      if (kinds[j].nested) both.nested = kinds[j].nested;
      if (kinds[j].several) both.several = kinds[j].several;
      if (kinds[j].capacity) both.capacity = kinds[j].capacity;
      both.processes |= kinds[j].processes;
      both.across_machines |= kinds[j].across_machines;
      const std::string said = refusal(both, 10);
      EXPECT_THAT(said, testing::StartsWith(flags[i] + " and " + flags[j] + ": "));
      EXPECT_THAT(said, testing::EndsWith("; ask one of the two"));
      // Each pair has a reason of its own.
      EXPECT_GT(said.size(), (flags[i] + " and " + flags[j] + ": ; ask one of the two").size());
    }
  }
}

TEST(Question, ThatNoWorkloadMeasuresIsRefusedWithWhatIsPossible) {
  struct Row {
    Question question;
    std::uint64_t keys;
    std::string said;
  };
  for (const Row& row :
       {Row{{.reads = 1.0},
            1,
            "--reads: what nobody writes needs no lock; say how much is written"},
        Row{{.reads = 0.0}, 1, "--reads: nobody reads, so a mutex is the question"},
        Row{{.nested = 3}, 5, "--nested: a holder locks one key again, so there is 1 key"},
        Row{{.several = 3}, 5, "--several: 3 keys at once are not measured; 2 are"},
        Row{{.several = 2}, 1, "--several: 2 keys of 1 are one lock; say --keys 2 or more"},
        Row{{.processes = true}, 5, "--processes: they add to a number in one file"},
        Row{{.nested = 3, .timeout = k5ms}, 1, "--timeout and --nested: "},
        Row{{.several = 2, .timeout = k5ms}, 5, "--timeout and --several: "},
        Row{{.timeout = k5ms, .wait_limit = k5ms}, 5, "--timeout and --wait-limit: "},
        Row{{.across_machines = true, .wait_limit = k5ms},
            5,
            "--wait-limit and --across-machines: "}}) {
    EXPECT_THAT(refusal(row.question, row.keys), testing::StartsWith(row.said));
  }
}

TEST(Question, HasTheCandidatesThatCanDoIt) {
  EXPECT_THAT(
      measured({.reads = 0.95}, 1),
      testing::IsSupersetOf({"global:lock=std", "global", "global:lock=std_shared",
                             "global:lock=absl_shared", "global:lock=tbb_rw", "keyed_shared"}));
  EXPECT_THAT(measured({.reads = 0.95}, 64),
              testing::IsSupersetOf({"global:lock=std", "striped:stripes=512",
                                     "striped:lock=std_shared,stripes=512",
                                     "striped:lock=absl_shared,stripes=512",
                                     "striped:lock=tbb_rw,stripes=512", "keyed", "keyed_shared"}));
  EXPECT_THAT(measured({.nested = 3}, 0),
              testing::ElementsAre("recursive_mutex", "recursive_parking", "reentrant"));
  EXPECT_THAT(measured({.several = 2}, 1000),
              testing::IsSupersetOf({"global:lock=std", "keyed", "stripe_word"}));
  EXPECT_THAT(measured({.capacity = 4}, 3),
              testing::ElementsAre("lease:leases=4", "lease_condvar:leases=4",
                                   "lease_semaphore:leases=4", "lease_tbb:leases=4"));
  EXPECT_THAT(measured({.processes = true}, 0),
              testing::ElementsAre("file", "file_flock", "file_ofd", "file_robust_mutex"));
  // Those that cannot give up are not asked.
  const std::set<std::string> timed = measured({.timeout = k5ms}, 1);
  EXPECT_THAT(timed, Not(Contains("global:lock=std")));
  EXPECT_THAT(timed, testing::IsSupersetOf({"global:lock=std_timed", "global", "keyed"}));
  EXPECT_THAT(measured({.reads = 0.95, .timeout = k5ms}, 1),
              testing::IsSupersetOf({"global", "keyed_shared"}));
}

TEST(Question, EachKindIsOfferedInTheDialog) {
  std::set<QuestionKind> kinds;
  for (const NamedKind& kind : question_kinds()) kinds.insert(kind.kind);
  // Services need plug-ins, which are named on the command line.
  EXPECT_THAT(kinds, Not(Contains(QuestionKind::kMachines)));
  EXPECT_EQ(kinds.size(), 6u);
}

}  // namespace
}  // namespace lockbench
