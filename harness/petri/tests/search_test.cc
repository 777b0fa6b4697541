// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/net/search.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/petri/net/search_report.h"
#include "harness/petri/tests/nets.h"

namespace lockbench {
namespace {

SearchResult searched(const Net& net, const SearchLimits& limits = {}) {
  return search(net, find_invariants(net), limits);
}

struct Plain {
  std::set<Marking> markings;
  std::set<Marking> dead;
  std::size_t steps_to_dead = 0;
};

bool is_final(const Net& net, const Marking& marking) {
  return !net.final_tokens.empty() &&
         std::all_of(net.final_tokens.begin(), net.final_tokens.end(),
                     [&](const Arc& arc) { return marking[arc.place] >= arc.weight; });
}

// Only the firing rule.
Plain plainly_searched(const Net& net) {
  Plain plain;
  std::map<Marking, std::size_t> depth{{initial_marking(net), 0}};
  std::deque<Marking> todo{initial_marking(net)};
  for (; !todo.empty(); todo.pop_front()) {
    const Marking marking = todo.front();
    bool stuck = !is_final(net, marking);
    for (const NetTransition& t : net.transitions) {
      if (!is_enabled(t, marking)) continue;
      stuck = false;
      Marking next = marking;
      fire(t, next);
      if (depth.emplace(next, depth[marking] + 1).second) todo.push_back(next);
    }
    plain.markings.insert(marking);
    if (!stuck) continue;
    if (plain.dead.empty()) plain.steps_to_dead = depth[marking];
    plain.dead.insert(marking);
  }
  return plain;
}

std::vector<ModelSpec> specs() {
  std::vector<ModelSpec> list;
  for (const ModelEntry& entry : model_entries()) list.push_back({.primitive = entry.name});
  list.push_back({.primitive = "keyed", .nested = true, .order = KeyOrder::kOpposite});
  list.push_back({.primitive = "striped", .stripes = 1, .nested = true, .order = KeyOrder::kTwice});
  list.push_back({.primitive = "lease", .threads = 4, .leases = 3, .nested = true});
  list.push_back({.primitive = "lease", .threads = 3, .leases = 3, .nested = true});
  list.push_back({.primitive = "random_mutexes_as_published", .nested = true});
  list.push_back({.primitive = "reentrant", .depth = 5});
  return list;
}

TEST(Search, FindsWhatAPlainSearchFinds) {
  for (const ModelSpec& spec : specs()) {
    const Net net = model(spec);
    const Plain plain = plainly_searched(net);
    const SearchResult result = searched(net, {.reduce = false});
    EXPECT_EQ(result.markings, plain.markings.size()) << net.name;
    EXPECT_EQ(result.dead, plain.dead.size()) << net.name;
    EXPECT_EQ(result.to_dead.has_value(), !plain.dead.empty()) << net.name;
    if (result.to_dead) {
      EXPECT_EQ(result.to_dead->size(), plain.steps_to_dead) << net.name;
    }
  }
}

TEST(Search, ReducedMarkingsRepresentAllMarkings) {
  for (const ModelSpec& spec : specs()) {
    const Net net = model(spec);
    const SearchResult reduced = searched(net);
    const SearchResult full = searched(net, {.reduce = false});
    EXPECT_TRUE(reduced.reduced) << net.name;
    EXPECT_LT(reduced.markings, full.markings) << net.name;
    EXPECT_EQ(reduced.unreduced, full.markings) << net.name;
    EXPECT_EQ(reduced.never_fires, full.never_fires) << net.name;
    EXPECT_EQ(reduced.most_tokens, full.most_tokens) << net.name;
    EXPECT_EQ(reduced.violated.has_value(), full.violated.has_value()) << net.name;
    EXPECT_EQ(verdict_of(reduced), verdict_of(full)) << net.name;
    ASSERT_EQ(reduced.to_dead.has_value(), full.to_dead.has_value()) << net.name;
    if (reduced.to_dead) {
      EXPECT_EQ(reduced.to_dead->size(), full.to_dead->size()) << net.name;
    }
  }
}

TEST(Search, ThePathToADeadMarkingIsAFiringSequenceToOne) {
  for (const ModelSpec& spec : specs()) {
    const Net net = model(spec);
    const SearchResult result = searched(net);
    if (!result.to_dead) continue;
    Marking marking = initial_marking(net);
    for (const std::uint32_t t : *result.to_dead) {
      ASSERT_TRUE(is_enabled(net.transitions[t], marking)) << net.name;
      fire(net.transitions[t], marking);
    }
    for (const NetTransition& t : net.transitions) EXPECT_FALSE(is_enabled(t, marking)) << t.name;
    EXPECT_FALSE(is_final(net, marking));
  }
}

TEST(Search, FindsTheDeadlockOfCrossedLocksInTwoSteps) {
  const Net net = crossed();
  const SearchResult result = searched(net);
  ASSERT_TRUE(result.to_dead);
  EXPECT_EQ(trace_text(net, *result.to_dead), "x_a; y_b");
  EXPECT_EQ(result.dead, 1u);
}

TEST(Search, FindsTransitionsThatNeverFire) {
  Net net = crossed();
  net.transitions.push_back({.name = "both", .pre = {{2}, {5}}, .post = {{0}, {3}}});
  EXPECT_EQ(searched(net).never_fires, (std::vector<std::uint32_t>{6}));
}

TEST(Search, CountsSeveralTokensInAPlace) {
  Net net = {.places = {{.name = "p", .tokens = 100}, {.name = "q"}},
             .transitions = {moves("t", 0, 1), moves("back", 1, 0)}};
  const SearchResult result = searched(net);
  EXPECT_EQ(result.markings, 101u);
  EXPECT_EQ(result.most_tokens, (std::vector<std::uint32_t>{100, 100}));
}

TEST(Search, ProvesThatANetIsUnbounded) {
  const Net net = {.places = {{.name = "p", .tokens = 1}, {.name = "q"}},
                   .transitions = {{.name = "makes", .pre = {{0}}, .post = {{0}, {1}}}}};
  const SearchResult result = searched(net);
  EXPECT_EQ(result.end, SearchEnd::kUnbounded);
  EXPECT_EQ(result.growing, (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(result.to_unbounded, (Sequence{0}));
  EXPECT_EQ(verdict_of(result), SearchVerdict::kIncorrect);
}

TEST(Search, StopsBeforeItMiscountsTokensOfAnUnboundedPlace) {
  // Bounded, but no invariant says so: each firing consumes a token that is never returned.
  const Net net = {.places = {{.name = "fuel", .tokens = 2}, {.name = "q"}},
                   .transitions = {{.name = "makes", .pre = {{0}}, .post = {{1, 200}}},
                                   {.name = "drops", .pre = {{1}}}}};
  EXPECT_EQ(searched(net).end, SearchEnd::kTokens);
}

TEST(Search, EndsAtItsLimits) {
  const Net net = model({.primitive = "keyed", .threads = 5});
  EXPECT_EQ(searched(net, {.most_markings = 10}).end, SearchEnd::kMarkings);
  EXPECT_EQ(searched(net, {.stop = [] { return true; }}).end, SearchEnd::kTime);
  EXPECT_EQ(searched(net, {.memory = 100'000}).end, SearchEnd::kMemory);
  EXPECT_EQ(searched(net, {.memory = 10 << 20, .resident = [] { return 10 << 20; }}).end,
            SearchEnd::kMemory);
  EXPECT_EQ(verdict_of(searched(net, {.most_markings = 10})), SearchVerdict::kUndecided);
}

TEST(Search, RefusesMarkingsThatAreTooWide) {
  Net net;
  for (std::uint32_t i = 0; i < 8 * kMostMarkingBytes + 1; ++i) {
    net.places.push_back({.name = "p" + std::to_string(i), .tokens = 1});
  }
  EXPECT_EQ(searched(net).end, SearchEnd::kTooWide);
}

TEST(Search, FindsHomeStatesOfNetsWithoutAFinalMarking) {
  Net ring = {.places = {{.name = "before", .tokens = 1}, {.name = "a"}, {.name = "b"}},
              .transitions = {moves("in", 0, 1), moves("on", 1, 2), moves("back", 2, 1)}};
  EXPECT_EQ(searched(ring).home.states, 2u);
  ring.places.push_back({.name = "other"});
  ring.transitions.push_back(moves("aside", 0, 3));
  EXPECT_EQ(searched(ring).home.states, 0u);
}

TEST(Search, FindsLivelocks) {
  Net net = {.places = {{.name = "begin", .tokens = 1}, {.name = "end"}, {.name = "spin"}},
             .transitions = {moves("go", 0, 1), moves("lost", 0, 2), moves("round", 2, 2)}};
  net.final_tokens = {{1, 1}};
  const SearchResult result = searched(net);
  EXPECT_FALSE(result.to_dead);
  EXPECT_EQ(result.home.no_final, 1u);
  EXPECT_EQ(verdict_of(result), SearchVerdict::kIncorrect);
}

TEST(Search, KeepsSafeMarkingsOfManyThreadsWithin64BytesEach) {
  const SearchResult result =
      searched(model({.primitive = "keyed", .threads = 8, .keys = 2}), {.home_states = false});
  EXPECT_EQ(result.end, SearchEnd::kComplete);
  EXPECT_LE(result.bytes, 64 * result.markings);
}

TEST(Search, CountsAPlaceOfAPropertyAsOftenAsItIsListed) {
  Net net = {.places = {{.name = "p"}, {.name = "q", .tokens = 1}},
             .transitions = {{.name = "t", .pre = {{1, 1}}, .post = {{0, 1}}}}};
  net.properties = {{"", {0, 0}, 2}};
  EXPECT_EQ(searched(net).violated, std::nullopt);
  net.properties = {{"", {0, 0}, 1}};
  EXPECT_EQ(searched(net).violated, 0U);
}

}  // namespace
}  // namespace lockbench
