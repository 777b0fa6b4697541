// SPDX-License-Identifier: Apache-2.0

// Every mutant disagrees with its net, unless the table says why it cannot; no correct lock does.
// The program is built for simulated threads, for native threads and for processes.

#include "harness/petri/tests/mutant_nets.h"

#include <algorithm>
#include <cctype>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/petri/net/pnml.h"
#include "harness/petri/net/search.h"
#include "harness/petri/tests/mutant_engine.h"
#include "harness/stress/registered_lock.h"

namespace lockbench::mutants {
namespace {

using stress::Oracle;
using stress::Verdict;
using testing::HasSubstr;
using testing::UnorderedElementsAreArray;

std::string name(const testing::TestParamInfo<MutantNet>& info) {
  std::string name = info.param.lock;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

class MutantNets : public testing::TestWithParam<MutantNet> {};

TEST_P(MutantNets, FailForMutantsOnly) {
  const MutantNet& mutant = GetParam();
  const stress::Report report = checked_against_net(mutant);
  if (mutant.control || !mutant.undetectable.empty()) {
    EXPECT_FALSE(report.failure.has_value()) << report.failure->what;
    EXPECT_GT(report.evaluations[Oracle::kNet], 0u);
  }
  if (!must_fail(mutant)) return;
  ASSERT_EQ(report.verdict, Verdict::kFailed);
  const Oracle oracle = report.failure->oracle;
  EXPECT_TRUE(oracle == Oracle::kNet || oracle == Oracle::kCrash);
  EXPECT_FALSE(report.failure->what.empty());
}

INSTANTIATE_TEST_SUITE_P(All, MutantNets, testing::ValuesIn(mutant_nets()), name);

TEST(MutantNetsTable, KnowsEveryMutantAndNoOther) {
  std::vector<std::string> in_table = without_net();
  const std::size_t without = in_table.size();
  for (const MutantNet& mutant : mutant_nets()) in_table.push_back(mutant.lock);
  std::vector<std::string> known;
  for (const stress::RegisteredLock& line : mutant_engine().registry()) {
    if (!line.memory.empty()) continue;  // a net has no orders of memory
    known.push_back(line.name);
    const auto entry = std::find(in_table.begin(), in_table.end(), line.name);
    const auto place = static_cast<std::size_t>(entry - in_table.begin());
    if (entry == in_table.end() || place < without) continue;
    const std::size_t i = place - without;
    if (mutant_engine().native) continue;
    const bool broken = !line.expected_oracles.empty() || !line.unseen.empty();
    EXPECT_EQ(mutant_nets()[i].control, !broken) << line.name;
  }
  EXPECT_THAT(in_table, UnorderedElementsAreArray(known));
}

// If the design is wrong, the search finds the deadlock.
TEST(MutantNetsTable, NetsWithTheSameDeadlockHaveIt) {
  for (const MutantNet& mutant : mutant_nets()) {
    if (mutant.undetectable.find("same deadlock") == std::string::npos) continue;
    const Net net = build_model(mutant.model).value();
    EXPECT_TRUE(search(net, find_invariants(net), {}).to_dead) << mutant.lock;
  }
}

TEST(HoldAgainstNet, RefusesTheNetOfAnotherLock) {
  const stress::RegisteredLock line = mutant_engine().registry().front();
  const auto complaint = [&line](const ModelSpec& model) {
    const stress::Order order{.net = pnml_of(build_model(model).value())};
    return std::string(
        mutant_engine().check_conformance(line, order, [](const auto&) {}).status().message());
  };
  if (!line.abilities.lock_per_key) {
    EXPECT_THAT(complaint({.primitive = "keyed"}), HasSubstr("it has 2 locks, the code 1"));
  }
  EXPECT_THAT(complaint({.primitive = "lease"}), HasSubstr("lets 2 threads have a lease"));
  // Native threads are more than the threads of any net.
  if (!mutant_engine().native) {
    EXPECT_THAT(complaint({.primitive = "global", .threads = 33}), HasSubstr("runs at most"));
  }
  EXPECT_THAT(complaint({.primitive = "none"}), HasSubstr("no transition"));
}

}  // namespace
}  // namespace lockbench::mutants
