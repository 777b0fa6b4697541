// SPDX-License-Identifier: Apache-2.0

// The presets in workloads/presets: that each is what it says.
#include <algorithm>
#include <filesystem>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/bench/plan/json.h"
#include "tests/plan/shipped.h"

namespace lockbench {
namespace {

using ::testing::IsSupersetOf;

std::set<std::uint32_t> threads_of(const Plan& plan) {
  std::set<std::uint32_t> threads;
  for (const Trial& trial : plan.trials) threads.insert(trial.cell.threads);
  return threads;
}

std::vector<std::string> all_presets() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(LOCKBENCH_PRESETS)) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem());
  }
  return names;
}

// Capabilities bring more.
TEST(ShippedPresets, AreThese) {
  EXPECT_THAT(
      all_presets(),
      IsSupersetOf(
          {"quick",           "loads",        "threads",         "keys",
           "holds",           "article-21x6", "article-1000x12", "million-users",
           "connection-pool", "fastrlock",    "limits",          "watchdog",
           "saturation",      "file-counter", "read-mostly",     "connection-pool-postgresql",
           "hybrid",          "i7-1165G7",    "i5-11600K",       "i7-class"}));
}

TEST(ShippedPresets, AllExpandAndSayWhatTheyTeach) {
  for (const std::string& name : all_presets()) {
    SCOPED_TRACE(name);
    const Shipped s = shipped(name);
    EXPECT_EQ(s.preset.name, name);
    EXPECT_GT(s.preset.title.size(), 20u);
    EXPECT_LT(s.preset.title.size(), 80u);
    EXPECT_GT(s.preset.description.size(), 100u);
    EXPECT_GT(s.plan.trials.size(), 0u);
    EXPECT_LT(s.expected_s, 600);
    RecordProperty(name + " trials", static_cast<int>(s.plan.trials.size()));
    RecordProperty(name + " expected_s", static_cast<int>(s.expected_s));
    EXPECT_EQ(internal::plan_from(nlohmann::json::parse(to_json(s.plan)), "plan").value(), s.plan);
  }
}

TEST(ShippedPresets, QuickCoversTheFivePrimitivesInAMinute) {
  const Shipped quick = shipped("quick");
  std::set<std::string> names;
  for (const Trial& trial : quick.plan.trials) names.insert(trial.cell.primitive.name);
  for (const char* name : {"none", "global", "keyed", "striped", "reentrant", "lease"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
  EXPECT_GE(quick.plan.blocks, 5u);
  // Starting a process for each trial, and ending it, comes on top: some 20 ms. Then half of the
  // minute is left for the comparisons that five blocks leave undecided.
  EXPECT_LE(quick.expected_s + 0.02 * static_cast<double>(quick.plan.trials.size()), 36);
}

TEST(ShippedPresets, TheArticlesAreTheArticles) {
  const Shipped small = shipped("article-21x6");
  EXPECT_EQ(threads_of(small.plan), std::set<std::uint32_t>{21});
  EXPECT_GE(small.plan.blocks, 3u);
  EXPECT_LT(small.expected_s, 60);
  const Shipped large = shipped("article-1000x12");
  EXPECT_EQ(threads_of(large.plan), std::set<std::uint32_t>{1000});
  EXPECT_EQ(large.plan.blocks, 1u);
  for (const Shipped& s : {small, large}) {
    for (const Trial& trial : s.plan.trials) {
      EXPECT_EQ(trial.cell.operations, 1u);
      EXPECT_EQ(trial.cell.hold.kind, Work::Kind::kSleep);
      EXPECT_EQ(trial.cell.hold.duration, std::chrono::milliseconds(100));
      const auto& counts = trial.cell.key_distribution.counts;
      EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0u), trial.cell.threads);
    }
  }
}

TEST(ShippedPresets, TheWatchdogHasLessTimeThanTheHoldTakesInBothForms) {
  const Shipped watchdog = shipped("watchdog");
  EXPECT_EQ(threads_of(watchdog.plan), std::set<std::uint32_t>{21});
  std::set<std::string> short_of_time;
  for (const Trial& trial : watchdog.plan.trials) {
    EXPECT_EQ(trial.cell.hold.duration, std::chrono::milliseconds(100));
    for (const auto& [parameter, value] : trial.cell.primitive.parameters) {
      if (value == "20") short_of_time.insert(trial.cell.primitive.name + ":" + parameter);
    }
  }
  EXPECT_EQ(short_of_time, (std::set<std::string>{"keyed_as_published:timeout_ms",
                                                  "keyed_limited:hold_limit_ms"}));
}

TEST(ShippedPresets, TheTargetsFollowTheirCores) {
  const Shipped i7 = shipped("i7-1165G7");
  EXPECT_EQ(i7.preset.target, "i7-1165G7");
  EXPECT_EQ(threads_of(i7.plan), (std::set<std::uint32_t>{1, 2, 4, 8, 16, 32}));
  const Shipped i5 = shipped("i5-11600K");
  EXPECT_EQ(i5.preset.target, "i5-11600K");
  EXPECT_EQ(threads_of(i5.plan), (std::set<std::uint32_t>{1, 2, 6, 12, 24, 48}));
}

TEST(ShippedPresets, TheI7ClassIsForTheModelOfItsTarget) {
  const Shipped s = shipped("i7-class");
  EXPECT_EQ(s.preset.target, "i7-1165G7");
  EXPECT_EQ(threads_of(s.plan), (std::set<std::uint32_t>{1, 2, 4, 8, 16}));
}

TEST(ShippedPresets, TheConnectionPoolHasACellThatMustDeadlock) {
  const Shipped pool = shipped("connection-pool");
  EXPECT_TRUE(std::any_of(pool.plan.trials.begin(), pool.plan.trials.end(), [](const Trial& t) {
    return t.cell.primitive.name == "lease_as_published" &&
           t.cell.workload.scenario == "second_lease" && t.cell.threads == 10 && t.cell.keys == 1 &&
           t.cell.primitive.parameters.at("leases") == "10";
  }));
}

}  // namespace
}  // namespace lockbench
