// SPDX-License-Identifier: Apache-2.0

// Ten questions of users whose right answer is known, as far as it follows from the question: what
// is measured for them, or why nothing has to be. Which figures lead to which answer,
// test_advice.py and test_readers.py say.

#include <chrono>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/bench/catalog/catalog.h"
#include "harness/bench/command/advise/question.h"
#include "harness/bench/plan/spelling.h"

namespace lockbench {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;
using namespace std::chrono_literals;

absl::StatusOr<CellTraits> on_eight_processors(const Cell& cell) {
  absl::StatusOr<CellTraits> traits = Catalog::standard().check(cell);
  if (traits.ok()) traits->processors = 8;
  return traits;
}

AdviceCase story(const Question& question, std::uint32_t threads, std::uint64_t keys,
                 const std::string& hold) {
  AdviceCase wanted;
  wanted.cell.threads = threads;
  wanted.cell.keys = keys;
  wanted.cell.hold = parse_work(hold).value();
  const absl::Status posed = pose(question, wanted);
  EXPECT_TRUE(posed.ok()) << posed;
  return wanted;
}

absl::StatusOr<Plan> plan_of(const AdviceCase& wanted) {
  return advice_plan(wanted, usual_budget(wanted.kind), on_eight_processors);
}

std::string refusal(const AdviceCase& wanted) {
  return std::string(plan_of(wanted).status().message());
}

std::set<std::string> primitives_of(const Plan& plan) {
  std::set<std::string> found;
  for (const Trial& trial : plan.trials) found.insert(to_text(trial.cell.primitive));
  return found;
}

// The shares of reads and the holds that are measured with a primitive.
std::set<std::string> fields_of(const Plan& plan, const std::string& primitive) {
  std::set<std::string> found;
  for (const Trial& trial : plan.trials) {
    if (to_text(trial.cell.primitive) != primitive) continue;
    found.insert(share_text(1 - *trial.cell.write_share) + " " + to_text(trial.cell.hold));
  }
  return found;
}

TEST(AdviceStories, OneLockAHundredTimesASecondIsMeasuredWithThreadsThatSleep) {
  AdviceCase wanted = story({}, 4, 1, "1us");
  wanted.rate_per_s = 100;
  const absl::StatusOr<Plan> plan = plan_of(wanted);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(primitives_of(*plan), Contains("global:lock=std"));
  for (const Trial& trial : plan->trials) EXPECT_TRUE(trial.cell.load->sleeps);
}

TEST(AdviceStories, MoreThanAnyLockCanDoIsRefusedAtOnce) {
  AdviceCase wanted = story({}, 16, 1, "50us");
  wanted.rate_per_s = 30'000;
  EXPECT_THAT(refusal(wanted), HasSubstr("more than any lock can do, since 100% of them hold the "
                                         "busiest key: at most 20000"));
  wanted.rate_per_s = 16 * 30'000;
  EXPECT_THAT(refusal(wanted), HasSubstr("at most 20000"));
}

TEST(AdviceStories, AConfigurationThatIsReadAMillionTimesASecondIsMeasuredAsReadersAndWriters) {
  AdviceCase wanted = story({.reads = 0.999999}, 8, 1, "50ns");
  wanted.rate_per_s = 1'000'000;
  const absl::StatusOr<Plan> plan = plan_of(wanted);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(fields_of(*plan, "global:lock=std_shared"), Contains("99.8046875% 50ns"));
  EXPECT_THAT(primitives_of(*plan), testing::IsSupersetOf({"global:lock=std", "keyed_shared"}));
}

TEST(AdviceStories, ACacheIsMeasuredWithTheMapOfReadersAndWriters) {
  for (const std::string hold : {"200ns", "20us"}) {
    const absl::StatusOr<Plan> plan = plan_of(story({.reads = 0.95}, 8, 1, hold));
    ASSERT_TRUE(plan.ok()) << plan.status();
    for (const char* const primitive : {"global:lock=std", "global:lock=std_shared"}) {
      const std::set<std::string> fields = fields_of(*plan, primitive);
      EXPECT_THAT(fields, Contains("95% " + hold));
      for (const char* const reads : {"50% ", "90% ", "99% "}) {
        for (const char* const mapped : {"200ns", "2us", "20us"}) {
          EXPECT_THAT(fields, Contains(std::string(reads) + mapped)) << primitive;
        }
      }
    }
  }
}

TEST(AdviceStories, AShortBudgetLeavesOutTheMapAndSaysSo) {
  const AdviceCase wanted = story({.reads = 0.95}, 8, 1, "200ns");
  const Plan short_plan = advice_plan(wanted, 10s, on_eight_processors).value();
  EXPECT_THAT(fields_of(short_plan, "global:lock=std"), testing::ElementsAre("95% 200ns"));
  EXPECT_TRUE(leaves_out_map(wanted, short_plan));
  EXPECT_FALSE(leaves_out_map(wanted, *plan_of(wanted)));
  // A mutex has no map.
  const AdviceCase mutex = story({}, 8, 1, "200ns");
  EXPECT_FALSE(leaves_out_map(mutex, *plan_of(mutex)));
}

TEST(AdviceStories, ACacheMayBeReadMoreOftenThanAMutexCould) {
  // 20 us of 100,000 reads a second are two processors' time.
  AdviceCase wanted = story({.reads = 0.95}, 8, 1, "20us");
  wanted.rate_per_s = 100'000;
  EXPECT_TRUE(plan_of(wanted).ok()) << plan_of(wanted).status();
  wanted = story({}, 8, 1, "20us");
  wanted.rate_per_s = 100'000;
  EXPECT_THAT(refusal(wanted), HasSubstr("at most 50000"));
}

TEST(AdviceStories, RecursionWithOneThreadComparesRecursiveLocksAlone) {
  const absl::StatusOr<Plan> plan = plan_of(story({.nested = 3}, 1, 0, "50ns"));
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(primitives_of(*plan),
              testing::ElementsAre("recursive_mutex", "recursive_parking", "reentrant"));
}

TEST(AdviceStories, ConnectionsOfShardsAreLeasesAtTheirLoad) {
  AdviceCase wanted = story({.capacity = 4}, 32, 3, "sleep:2ms");
  wanted.loads = {parse_load("90%").value()};
  const absl::StatusOr<Plan> plan = plan_of(wanted);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(primitives_of(*plan), Contains("lease:leases=4"));
  for (const Trial& trial : plan->trials) {
    // Threads whose queries sleep do not compute between them.
    EXPECT_EQ(to_text(trial.cell.load), "sleep:90%");
    // 32 threads for 3 shards with 4 connections: 2.67 times as many as can hold one.
    EXPECT_EQ(to_text(trial.cell.think), "sleep:exp:3.925926ms");
  }
}

TEST(AdviceStories, TransfersTakeTwoAccountsAtOnce) {
  AdviceCase wanted = story({.several = 2}, 8, 1000, "1us");
  wanted.rate_per_s = 100'000;
  const absl::StatusOr<Plan> plan = plan_of(wanted);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(primitives_of(*plan),
              testing::IsSupersetOf({"global:lock=std", "keyed", "stripe_word"}));
  // An account is in two of a thousand transfers: 1 us of each.
  EXPECT_EQ(to_text(plan->trials.front().cell.load), "0.01999%");
}

TEST(AdviceStories, WithALimitOfWaitsAnOverloadSaysHowManyMustGiveUp) {
  AdviceCase wanted = story({.timeout = 5ms}, 8, 1, "100us");
  wanted.rate_per_s = 12'000;  // 120 % of what one holder can do
  EXPECT_THAT(refusal(wanted), StartsWith("--rate: 12000 operations per second are more than any"));
  EXPECT_THAT(refusal(wanted), HasSubstr("at most 10000; beyond it, at least 17% of the operations "
                                         "reach --timeout, whatever the lock"));
  wanted.rate_per_s = 8'000;
  EXPECT_TRUE(plan_of(wanted).ok());
  // More than the threads can begin: nothing arrives that could give up.
  wanted = story({.timeout = 5ms}, 1, 1, "100us");
  wanted.rate_per_s = 12'000;
  EXPECT_THAT(refusal(wanted), testing::Not(HasSubstr("--timeout")));
}

TEST(AdviceStories, TwoProcessesCompareLocksBetweenProcesses) {
  AdviceCase wanted = story({.processes = true}, 2, 0, "10us");
  const absl::StatusOr<Plan> plan = plan_of(wanted);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(primitives_of(*plan),
              testing::ElementsAre("file", "file_flock", "file_ofd", "file_robust_mutex"));
}

TEST(AdviceStories, ThreeMachinesAskForTheLocksOfServicesAlone) {
  AdviceCase wanted = story({.across_machines = true}, 3, 10, "1ms");
  EXPECT_EQ(wanted.kind, QuestionKind::kMachines);
  wanted.services = {{.name = "one_service", .parameters = {}},
                     {.name = "another", .parameters = {}}};
  EXPECT_EQ(candidates_for(wanted), wanted.services);
}

}  // namespace
}  // namespace lockbench
