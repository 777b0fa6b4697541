// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/measure/conclude.h"

#include <gtest/gtest.h>

namespace lockbench {
namespace {

using std::chrono::milliseconds;

// Two threads in fixed mode, 100 ms a hold: thread 0 worked from 10 ms to 500 ms, thread 1 from 30
// ms to 700 ms after the gate opened.
class Conclude : public ::testing::Test {
 protected:
  Conclude() : reports_(2) {
    reports_[0].operations = 4;
    reports_[0].started = opened_ + milliseconds(10);
    reports_[0].ended = opened_ + milliseconds(500);
    reports_[1].operations = 3;
    reports_[1].started = opened_ + milliseconds(30);
    reports_[1].ended = opened_ + milliseconds(700);
    cell_.mode = Mode::kFixed;
    cell_.threads = 2;
    cell_.operations = 4;
    cell_.hold = {.kind = Work::Kind::kSleep, .duration = milliseconds(100)};
  }

  Sample concluded() const {
    Sample sample;
    conclude({.cell = cell_,
              .opened = opened_,
              .reports = reports_,
              .proof = proof_,
              .hold_bound = bound_,
              .ranks = ranks_},
             sample);
    return sample;
  }

  const platform::Time opened_ = platform::Time() + std::chrono::hours(1);
  Cell cell_;
  std::vector<ThreadReport> reports_;
  Proof proof_;
  std::vector<int> ranks_;
  std::optional<HoldBound> bound_ =
      HoldBound{.busiest_key_holds = 6, .busiest_thread_holds = 4, .holds = 7};
};

TEST_F(Conclude, AddsUpWhatThreadsDid) {
  const Sample sample = concluded();
  EXPECT_EQ(sample.outcome, Outcome::kOk);
  EXPECT_TRUE(sample.valid());
  EXPECT_EQ(sample.reason, "");
  EXPECT_EQ(sample.operations, 7u);
  EXPECT_EQ(sample.timeouts, 0u);
  EXPECT_EQ(sample.thread_operations_min, 3u);
  EXPECT_EQ(sample.thread_operations_max, 4u);
  EXPECT_DOUBLE_EQ(sample.fairness_jain.value(), 49.0 / 50.0);
}

TEST_F(Conclude, ComparesTheFastestKindOfCoreWithTheSlowest) {
  reports_[0].wait.record(8);
  reports_[1].wait.record(16);
  ranks_ = {0, 2};
  EXPECT_FALSE(concluded().slow_operations_share);  // of fixed work
  EXPECT_FALSE(concluded().ideal_s);
  cell_.mode = Mode::kTimed;
  const Sample mixed = concluded();
  EXPECT_DOUBLE_EQ(mixed.slow_operations_share.value(), 3.0 / 7.0);
  EXPECT_DOUBLE_EQ(mixed.fast_wait_p99_ns.value(), 8);
  EXPECT_DOUBLE_EQ(mixed.slow_wait_p99_ns.value(), 16);
}

TEST_F(Conclude, SaysNothingOfKindsWhereThreadsAreOnOne) {
  for (const std::vector<int>& ranks : {std::vector<int>{}, {1, 1}}) {
    ranks_ = ranks;
    const Sample sample = concluded();
    EXPECT_FALSE(sample.slow_operations_share || sample.fast_wait_p99_ns ||
                 sample.slow_wait_p99_ns);
  }
}

TEST_F(Conclude, TheWindowIsFromTheGateToTheLastEnd) {
  const Sample sample = concluded();
  EXPECT_DOUBLE_EQ(sample.window_s.value(), 0.7);
  EXPECT_DOUBLE_EQ(sample.makespan_s.value(), 0.7);
  EXPECT_DOUBLE_EQ(sample.overlap.value(), 0.47 / 0.69);
}

TEST_F(Conclude, OnlyFixedWorkHasAMakespanAndAnIdeal) {
  EXPECT_DOUBLE_EQ(concluded().ideal_s.value(), 0.6);
  cell_.mode = Mode::kTimed;
  EXPECT_EQ(concluded().makespan_s, std::nullopt);
  EXPECT_EQ(concluded().ideal_s, std::nullopt);
  EXPECT_DOUBLE_EQ(concluded().window_s.value(), 0.7);
}

TEST_F(Conclude, AWorkloadWithoutABoundHasNoIdeal) {
  bound_.reset();
  EXPECT_EQ(concluded().ideal_s, std::nullopt);
  EXPECT_TRUE(concluded().makespan_s.has_value());
}

TEST_F(Conclude, WhereAcquisitionsWereGivenUpThereIsNoIdeal) {
  reports_[0].given_up = 1;
  reports_[1].given_up = 2;
  EXPECT_EQ(concluded().timeouts, 3u);
  EXPECT_EQ(concluded().ideal_s, std::nullopt);
}

TEST_F(Conclude, WaitsAndHoldsOfAllThreadsCount) {
  reports_[0].wait.record(10);
  reports_[1].wait.record(20);
  reports_[1].hold.record(5);
  const Sample sample = concluded();
  EXPECT_EQ(sample.wait.value().samples, 2u);
  EXPECT_EQ(sample.wait.value().max_ns, 20);
  EXPECT_EQ(sample.hold.value().samples, 1u);
}

TEST_F(Conclude, WhatWasNotSampledIsAbsent) {
  EXPECT_EQ(concluded().wait, std::nullopt);
  EXPECT_EQ(concluded().hold, std::nullopt);
}

TEST_F(Conclude, NothingDoneIsNothingShared) {
  for (ThreadReport& report : reports_) report.operations = 0;
  EXPECT_EQ(concluded().operations, 0u);
  EXPECT_EQ(concluded().fairness_jain, std::nullopt);
}

TEST_F(Conclude, AProofThatFailsMakesTheSampleInvalidAndSaysWhy) {
  proof_ = {.lost_updates = 3, .counts = "4"};
  EXPECT_FALSE(concluded().valid());
  EXPECT_EQ(concluded().outcome, Outcome::kOk);
  EXPECT_EQ(concluded().lost_updates, 3u);
  EXPECT_EQ(concluded().violations, 0u);
  EXPECT_EQ(concluded().counts, "4");
  EXPECT_EQ(concluded().reason, "lost 3 updates in 7 operations");
  proof_ = {.violations = 2};
  EXPECT_EQ(concluded().reason, "2 mutual-exclusion violations");
  proof_ = {.lost_updates = 1, .violations = 2};
  EXPECT_EQ(concluded().reason, "lost 1 updates in 7 operations; 2 mutual-exclusion violations");
  EXPECT_FALSE(concluded().valid());
}

}  // namespace
}  // namespace lockbench
