// SPDX-License-Identifier: Apache-2.0

// The memory model c11 of the simulator is that of C++20, but for load buffering. Three sources
// must agree on each litmus test: what the literature says of its outcome, what the axioms of C++20
// allow (axioms.cc, which enumerates all candidate executions), and what the simulator shows in all
// executions. The latter two must have the same outcomes, to the last, of programs drawn at random,
// too.
//
// Source  J. Alglave, L. Maranget, M. Tautschnig, "Herding Cats", 2014; M. Batty et al.,
//         "Mathematizing C++ Concurrency", 2011; O. Lahav et al., "Repairing Sequential Consistency
//         in C/C++11", 2017.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/stress/explore/search/strategies.h"
#include "tests/stress/explore/weak_program.h"
#include "tests/stress/explore/weak_table.h"

namespace lockbench::stress::explore {
namespace {

std::set<WeakOutcome> simulated(const WeakProgram& program) {
  return explored(program, MemoryModel::kC11, DepthFirst::kAnyNumber).outcomes;
}

bool has(const std::set<WeakOutcome>& outcomes, const char* text) {
  return std::any_of(outcomes.begin(), outcomes.end(),
                     [&](const WeakOutcome& outcome) { return is_outcome(text, outcome); });
}

// The search by graphs finishes one execution for each that the axioms allow, and cannot follow a
// barrier for all threads.
void expect_each_execution_once(const WeakProgram& program, const Explored& allowed) {
  if (to_text(program).find('H') != std::string::npos) return;
  const Explored seen = explored_by_graphs(program);
  EXPECT_EQ(seen.outcomes, allowed.outcomes) << to_text(program);
  EXPECT_EQ(seen.finished, allowed.finished) << to_text(program);
}

class C11 : public ::testing::TestWithParam<WeakRow> {};

TEST_P(C11, ShowsExactlyWhatTheLiteratureAndTheAxiomsAllow) {
  const WeakRow& row = GetParam();
  const WeakProgram program = weak_program_from(row.program);
  const Explored allowed = allowed_by_axioms(program, {});
  EXPECT_EQ(simulated(program), allowed.outcomes) << row.program;
  expect_each_execution_once(program, allowed);
  EXPECT_EQ(has(allowed.outcomes, row.outcome), row.verdict == kAllowed) << row.outcome;
  const std::set<WeakOutcome> all = allowed_by_axioms(program, {.load_buffering = true}).outcomes;
  EXPECT_EQ(has(all, row.outcome), row.verdict == kAllowed || row.verdict == kLoadBuffering)
      << row.outcome << " with load buffering";
  EXPECT_EQ(has(allowed_by_axioms(program, {.rc11 = true}).outcomes, row.outcome),
            row.verdict == kAllowed || row.verdict == kForbiddenButByRc11)
      << row.outcome << " by RC11";
}

INSTANTIATE_TEST_SUITE_P(Litmus, C11, ::testing::ValuesIn(kWeakTable),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(C11Table, HasEachTestOnceAndAHundredOfThem) {
  std::set<std::string> names, programs;
  for (const WeakRow& row : kWeakTable) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(programs.insert(std::string(row.program) + "; " + row.outcome).second) << row.name;
  }
  EXPECT_GE(names.size(), 100U);
}

// ---- programs drawn at random

std::memory_order draw_order(std::mt19937_64& random, WeakOperation::Kind kind) {
  using enum std::memory_order;
  constexpr std::memory_order kLoads[] = {relaxed, relaxed, acquire, seq_cst};
  constexpr std::memory_order kStores[] = {relaxed, relaxed, release, seq_cst};
  constexpr std::memory_order kUpdates[] = {relaxed, acquire, release, acq_rel, seq_cst};
  constexpr std::memory_order kFences[] = {acquire, release, acq_rel, seq_cst, seq_cst};
  if (kind == WeakOperation::kLoad) return kLoads[random() % std::size(kLoads)];
  if (kind == WeakOperation::kStore) return kStores[random() % std::size(kStores)];
  if (kind == WeakOperation::kFence) return kFences[random() % std::size(kFences)];
  return kUpdates[random() % std::size(kUpdates)];
}

WeakProgram draw_program(std::uint64_t seed) {
  using O = WeakOperation;
  constexpr O::Kind kKinds[] = {O::kLoad,  O::kLoad,     O::kLoad, O::kStore,   O::kStore,
                                O::kStore, O::kExchange, O::kAdd,  O::kCompare, O::kFence};
  std::mt19937_64 random(seed);
  WeakProgram program(2 + random() % 3);
  const std::size_t most = program.size() == 2 ? 4 : program.size() == 3 ? 3 : 2;
  const std::size_t words = 2 + random() % 2;
  int value = 0;
  for (auto& thread : program) {
    for (std::size_t count = 1 + random() % most; count > 0; --count) {
      O operation;
      operation.kind = kKinds[random() % std::size(kKinds)];
      operation.word = random() % words;
      operation.value = ++value;
      operation.expected = static_cast<int>(random() % static_cast<std::uint64_t>(value));
      operation.order = draw_order(random, operation.kind);
      thread.push_back(operation);
    }
  }
  return program;
}

TEST(C11Random, ShowsExactlyWhatTheAxiomsAllowOfProgramsDrawnAtRandom) {
  for (std::uint64_t seed = 0; seed < kRandomPrograms; ++seed) {
    const WeakProgram program = draw_program(seed);
    const Explored allowed = allowed_by_axioms(program, {});
    ASSERT_EQ(simulated(program), allowed.outcomes) << to_text(program) << "seed " << seed;
    expect_each_execution_once(program, allowed);
  }
}

}  // namespace
}  // namespace lockbench::stress::explore
