// SPDX-License-Identifier: Apache-2.0

// The acts of an epoch of the engine `services`.
#include "harness/services/engine/plan.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockbench::stress::services {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr EpochTerms kTerms{.clients = 4, .servers = 3, .lease = 150ms};

std::vector<FaultKind> all() {
  return *faults_from("");
}

TEST(Faults, AreNamedInAList) {
  EXPECT_THAT(*faults_from("cut,stop_holder,cut"),
              ElementsAre(FaultKind::kCut, FaultKind::kStopHolder));
  EXPECT_EQ(faults_from(names_of(all())).value(), all());
  EXPECT_THAT(std::string(faults_from("cut,stop").status().message()),
              AllOf(HasSubstr("`stop`"), HasSubstr("stop_holder,kill_holder")));
}

TEST(Faults, AreAllButStepsOfClocksUnlessTheyAreNamed) {
  for (const FaultKind kind : all()) EXPECT_FALSE(steps_clocks(kind));
  EXPECT_THAT(all(), SizeIs(kFaultKinds - 2));
  EXPECT_THAT(*faults_from("clock_step"), ElementsAre(FaultKind::kClockStep));
}

TEST(Faults, HaveTheIndexOfTheirKind) {
  for (std::size_t i = 0; i < all_faults().size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(all_faults()[i].kind), i);
  }
}

TEST(EpochPlan, IsTheSameForTheSameSeed) {
  const EpochPlan one = plan_epoch(all(), 7, kTerms);
  EXPECT_EQ(one.faults, plan_epoch(all(), 7, kTerms).faults);
  EXPECT_NE(one.faults, plan_epoch(all(), 8, kTerms).faults);
}

TEST(EpochPlan, HasNoMoreKeysThanTheLockHasRoomFor) {
  EpochTerms terms = kTerms;
  terms.most_keys = 1;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_EQ(plan_epoch(all(), seed, terms).keys, 1U);
  }
}

TEST(EpochPlan, HasFaultsOfTheKindsThatAreAskedForAndEndsAfterThem) {
  std::set<FaultKind> kinds;
  std::set<std::uint32_t> servers;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const EpochPlan plan = plan_epoch(all(), seed, kTerms);
    ASSERT_FALSE(plan.faults.empty());
    for (const PlannedFault& fault : plan.faults) {
      kinds.insert(fault.kind);
      servers.insert(fault.server);
      EXPECT_LT(fault.at + fault.lasts, plan.length);
    }
    EXPECT_LE(plan.keys, kMostKeys);
  }
  EXPECT_THAT(kinds, SizeIs(all().size()));
  EXPECT_THAT(servers, ElementsAre(0U, 1U, 2U));
}

TEST(EpochPlan, StopsAHolderForLongerThanItsLease) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    for (const PlannedFault& fault : plan_epoch({FaultKind::kStopHolder}, seed, kTerms).faults) {
      EXPECT_GT(fault.lasts, kTerms.lease);
    }
  }
}

TEST(EpochPlan, StepsClocksForwardAndBackByHalfALeaseOrMore) {
  std::set<bool> back;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const EpochPlan plan = plan_epoch({FaultKind::kClockStep}, seed, kTerms);
    for (const PlannedFault& fault : plan.faults) {
      EXPECT_GE(std::chrono::abs(fault.step), kTerms.lease / 2);
      EXPECT_LE(std::chrono::abs(fault.step), kTerms.lease * 3);
      back.insert(fault.step.count() < 0);
    }
    EXPECT_THAT(text_of(plan), HasSubstr(" by "));
  }
  EXPECT_THAT(back, SizeIs(2));
}

TEST(EpochPlan, TakesAllFaultsAtFirstAndThenEachAloneInTurn) {
  const std::vector<FaultKind> two{FaultKind::kCut, FaultKind::kDelay};
  EXPECT_EQ(kinds_for(0, two), two);
  EXPECT_THAT(kinds_for(1, two), ElementsAre(FaultKind::kCut));
  EXPECT_EQ(kinds_for(2, two), two);
  EXPECT_THAT(kinds_for(3, two), ElementsAre(FaultKind::kDelay));
}

TEST(LivenessBound, GrowsWithTheLease) {
  EXPECT_EQ(liveness_bound(150ms) - liveness_bound(0ms), 300ms);
}

}  // namespace
}  // namespace lockbench::stress::services
