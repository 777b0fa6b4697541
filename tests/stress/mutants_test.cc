// SPDX-License-Identifier: Apache-2.0

// The simulated engine convicts every broken lock, of what is wrong with it, and no correct one;
// and what convicts does so again.

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/stress/client.h"
#include "harness/stress/sim/engine.h"
#include "tests/mutants/lineup.h"

namespace lockbench::stress::sim {
namespace {

const std::vector<Lineup>& lineup() {
  static const std::vector<Lineup> all = mutants::for_sim();
  return all;
}

// Positions in the line-up.
std::vector<std::size_t> those(bool broken) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < lineup().size(); ++i) {
    if (lineup()[i].convicted_by.empty() != broken) positions.push_back(i);
  }
  return positions;
}

std::string name(const ::testing::TestParamInfo<std::size_t>& info) {
  std::string name = lineup()[info.param].name;
  // Of `table:limit=20`, what a test may be called.
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

stress::Report look_into(const Lineup& suspect, Order order) {
  order.suspect = suspect.name;
  const absl::StatusOr<stress::Report> report = investigate(suspect, order, [](const auto&) {});
  EXPECT_TRUE(report.ok()) << report.status();
  return report.ok() ? *report : stress::Report{};
}

class BrokenLock : public ::testing::TestWithParam<std::size_t> {};

TEST_P(BrokenLock, IsConvictedOfItsFaultAndAgainByTheReplay) {
  const Lineup& suspect = lineup()[GetParam()];
  const stress::Report report = look_into(suspect, {.budget = std::chrono::seconds(20)});
  ASSERT_EQ(report.verdict, Verdict::kConvicted);
  const Oracle oracle = report.finding->oracle;
  EXPECT_NE(std::find(suspect.convicted_by.begin(), suspect.convicted_by.end(), oracle),
            suspect.convicted_by.end())
      << name_of(oracle) << ": " << report.finding->what;

  // --engine sim --client … --schedule …
  ASSERT_TRUE(report.replay.exact);
  ASSERT_EQ(report.replay.options[2], "--client");
  ASSERT_NE(report.replay.options[5], "")
      << "would be no schedule, and a search instead of a replay";
  const stress::Report again = look_into(
      suspect, {.client = report.replay.options[3], .schedule = report.replay.options[5]});
  ASSERT_EQ(again.verdict, Verdict::kConvicted);
  EXPECT_EQ(again.finding->what, report.finding->what);
  EXPECT_EQ(again.story, report.story);
}

INSTANTIATE_TEST_SUITE_P(Sim, BrokenLock, ::testing::ValuesIn(those(true)), name);

class CorrectLock : public ::testing::TestWithParam<std::size_t> {};

TEST_P(CorrectLock, IsFoundCleanWithEveryOracleAsked) {
  // A machine that is slow, or busy, needs longer until every oracle has been asked.
  stress::Report report;
  for (auto budget = std::chrono::milliseconds(300); budget < std::chrono::seconds(20);
       budget *= 4) {
    report = look_into(lineup()[GetParam()], {.budget = budget});
    if (report.verdict != Verdict::kInconclusive) break;
  }
  EXPECT_EQ(report.verdict, Verdict::kClean)
      << (report.finding ? report.finding->what : "an oracle was never asked");
}

INSTANTIATE_TEST_SUITE_P(Sim, CorrectLock, ::testing::ValuesIn(those(false)), name);

TEST(SimulatedEngine, RefusesAScheduleWithoutItsClient) {
  const auto report =
      investigate(lineup()[0], {.suspect = lineup()[0].name, .schedule = "1"}, [](const auto&) {});
  EXPECT_EQ(report.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(SimulatedEngine, RefusesAMemoryModelThatThereIsNot) {
  const auto report =
      investigate(lineup()[0], {.suspect = lineup()[0].name, .memory = "weak"}, [](const auto&) {});
  EXPECT_EQ(report.status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace lockbench::stress::sim
