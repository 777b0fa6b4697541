// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/search.h"

#include <deque>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/petri/story.h"
#include "tests/petri/nets.h"

namespace lockbench {
namespace {

SearchResult searched(const Net& net, SearchLimits limits = {}) {
  return search(net, find_invariants(net), limits);
}

struct Plain {
  std::set<Marking> markings;
  std::set<Marking> dead;
  std::size_t steps_to_dead = 0;
};

// The rule of the net and nothing else.
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

TEST(Search, FindsWhatThePlainRuleFinds) {
  for (const ModelSpec& spec : specs()) {
    const Net net = model(spec);
    const Plain plain = plainly_searched(net);
    const SearchResult result = searched(net, {.fold = false});
    EXPECT_EQ(result.markings, plain.markings.size()) << net.name;
    EXPECT_EQ(result.dead, plain.dead.size()) << net.name;
    EXPECT_EQ(result.to_dead.has_value(), !plain.dead.empty()) << net.name;
    if (result.to_dead) {
      EXPECT_EQ(result.to_dead->size(), plain.steps_to_dead) << net.name;
    }
  }
}

TEST(Search, FoldedStandsForAsManyAsThereAreUnfolded) {
  for (const ModelSpec& spec : specs()) {
    const Net net = model(spec);
    const SearchResult folded = searched(net);
    const SearchResult unfolded = searched(net, {.fold = false});
    EXPECT_TRUE(folded.folded) << net.name;
    EXPECT_LT(folded.markings, unfolded.markings) << net.name;
    EXPECT_EQ(folded.stands_for, unfolded.markings) << net.name;
    EXPECT_EQ(folded.never_fires, unfolded.never_fires) << net.name;
    EXPECT_EQ(folded.most_tokens, unfolded.most_tokens) << net.name;
    EXPECT_EQ(folded.broken.has_value(), unfolded.broken.has_value()) << net.name;
    EXPECT_EQ(verdict_of(folded), verdict_of(unfolded)) << net.name;
    ASSERT_EQ(folded.to_dead.has_value(), unfolded.to_dead.has_value()) << net.name;
    if (folded.to_dead) {
      EXPECT_EQ(folded.to_dead->size(), unfolded.to_dead->size()) << net.name;
    }
  }
}

TEST(Search, TheWayToADeadMarkingCanBeFiredAndEndsInOne) {
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

TEST(Search, FindsTheCrossedLocksInTwoSteps) {
  const Net net = crossed();
  const SearchResult result = searched(net);
  ASSERT_TRUE(result.to_dead);
  EXPECT_EQ(told(net, *result.to_dead), "x_a; y_b");
  EXPECT_EQ(result.dead, 1u);
}

TEST(Search, FindsTransitionsThatNeverFire) {
  Net net = crossed();
  net.transitions.push_back({.name = "both", .takes = {{2}, {5}}, .gives = {{0}, {3}}});
  EXPECT_EQ(searched(net).never_fires, (std::vector<std::uint32_t>{6}));
}

TEST(Search, CountsMoreTokensThanOneInAPlace) {
  Net net = {.places = {{.name = "p", .tokens = 100}, {.name = "q"}},
             .transitions = {moves("t", 0, 1), moves("back", 1, 0)}};
  const SearchResult result = searched(net);
  EXPECT_EQ(result.markings, 101u);
  EXPECT_EQ(result.most_tokens, (std::vector<std::uint32_t>{100, 100}));
}

TEST(Search, ProvesThatANetIsUnbounded) {
  const Net net = {.places = {{.name = "p", .tokens = 1}, {.name = "q"}},
                   .transitions = {{.name = "makes", .takes = {{0}}, .gives = {{0}, {1}}}}};
  const SearchResult result = searched(net);
  EXPECT_EQ(result.end, SearchEnd::kUnbounded);
  EXPECT_EQ(result.growing, (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(result.to_unbounded, (Sequence{0}));
  EXPECT_EQ(verdict_of(result), Verdict::kFaulty);
}

TEST(Search, GivesUpRatherThanMiscountTokensOfAPlaceThatNothingBounds) {
  // Bounded, but no invariant says so: every round needs a token that is never given back.
  const Net net = {.places = {{.name = "fuel", .tokens = 2}, {.name = "q"}},
                   .transitions = {{.name = "makes", .takes = {{0}}, .gives = {{1, 200}}},
                                   {.name = "drops", .takes = {{1}}}}};
  EXPECT_EQ(searched(net).end, SearchEnd::kTokens);
}

TEST(Search, EndsAtItsBudgets) {
  const Net net = model({.primitive = "keyed", .threads = 5});
  EXPECT_EQ(searched(net, {.most_markings = 10}).end, SearchEnd::kMarkings);
  EXPECT_EQ(searched(net, {.enough = [] { return true; }}).end, SearchEnd::kTime);
  EXPECT_EQ(verdict_of(searched(net, {.most_markings = 10})), Verdict::kUnfinished);
}

TEST(Search, RefusesMarkingsWiderThanItsWidest) {
  Net net;
  for (std::uint32_t i = 0; i < 64 * kWidestWords + 1; ++i) {
    net.places.push_back({.name = "p" + std::to_string(i), .tokens = 1});
  }
  EXPECT_EQ(searched(net).end, SearchEnd::kTooWide);
}

TEST(Search, FindsHomeMarkingsOfNetsWithoutAnEnd) {
  Net ring = {.places = {{.name = "before", .tokens = 1}, {.name = "a"}, {.name = "b"}},
              .transitions = {moves("in", 0, 1), moves("on", 1, 2), moves("back", 2, 1)}};
  EXPECT_EQ(searched(ring).homecoming.home, 2u);
  ring.places.push_back({.name = "other"});
  ring.transitions.push_back(moves("aside", 0, 3));
  EXPECT_EQ(searched(ring).homecoming.home, 0u);
}

TEST(Search, FindsThreadsThatGoRoundForEverAndCannotEnd) {
  Net net = {.places = {{.name = "begin", .tokens = 1}, {.name = "end"}, {.name = "spin"}},
             .transitions = {moves("go", 0, 1), moves("lost", 0, 2), moves("round", 2, 2)}};
  net.final_tokens = {{1, 1}};
  const SearchResult result = searched(net);
  EXPECT_FALSE(result.to_dead);
  EXPECT_EQ(result.homecoming.astray, 1u);
  EXPECT_EQ(verdict_of(result), Verdict::kFaulty);
}

TEST(Search, KeepsSafeMarkingsOfManyThreadsWithin64BytesEach) {
  const SearchResult result =
      searched(model({.primitive = "keyed", .threads = 8, .keys = 2}), {.homecoming = false});
  EXPECT_EQ(result.end, SearchEnd::kComplete);
  EXPECT_LE(result.bytes, 64 * result.markings);
}

}  // namespace
}  // namespace lockbench
