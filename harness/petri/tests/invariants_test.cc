// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/net/invariants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/petri/tests/nets.h"

namespace lockbench {
namespace {

// By how much a transition changes the sum.
std::int64_t change(const Invariant& invariant, const NetTransition& transition) {
  std::int64_t sum = 0;
  for (const Arc& term : invariant.places) {
    for (const Arc& arc : transition.post)
      sum += arc.place == term.place ? term.weight * arc.weight : 0;
    for (const Arc& arc : transition.pre)
      sum -= arc.place == term.place ? term.weight * arc.weight : 0;
  }
  return sum;
}

TEST(Invariants, NoTransitionOfAnyModelChangesThem) {
  for (const ModelEntry& entry : model_entries()) {
    const Net net = model({.primitive = entry.name});
    const Invariants invariants = find_invariants(net);
    EXPECT_TRUE(invariants.all) << entry.name;
    EXPECT_FALSE(invariants.found.empty()) << entry.name;
    for (const Invariant& invariant : invariants.found) {
      for (const NetTransition& t : net.transitions) EXPECT_EQ(change(invariant, t), 0) << t.name;
    }
  }
}

TEST(Invariants, BoundEveryPlaceOfEveryModel) {
  for (const ModelEntry& entry : model_entries()) {
    const Net net = model({.primitive = entry.name});
    for (const auto& bound : bounds_of(net, find_invariants(net))) EXPECT_TRUE(bound) << entry.name;
  }
}

TEST(Invariants, SayWhoIsKeptOut) {
  const Net net = crossed();
  const Invariants invariants = find_invariants(net);
  std::vector<std::string> texts;
  for (const Invariant& i : invariants.found) texts.push_back(text_of(net, i));
  EXPECT_THAT(texts, testing::UnorderedElementsAre(
                         "x0 + x1 + x2 = 1: always exactly one of these, so never two",
                         "y0 + y1 + y2 = 1: always exactly one of these, so never two",
                         "x1 + x2 + y2 + a = 1: always exactly one of these, so never two",
                         "x2 + y1 + y2 + b = 1: always exactly one of these, so never two"));
}

TEST(Invariants, WeighPlacesByWhatArcsMove) {
  const Net net = {.places = {{.name = "p", .tokens = 2}, {.name = "q"}},
                   .transitions = {{.name = "t", .pre = {{0, 2}}, .post = {{1, 3}}}}};
  const Invariants invariants = find_invariants(net);
  ASSERT_EQ(invariants.found.size(), 1u);
  EXPECT_EQ(invariants.found[0].places, (std::vector<Arc>{{0, 3}, {1, 2}}));
  EXPECT_EQ(bounds_of(net, invariants)[1], 3u);
}

TEST(Invariants, SayWhenTheLimitCameFirst) {
  // Each stage doubles the number of minimal sums.
  Net net;
  for (std::uint32_t i = 0; i < 20; ++i) {
    const std::uint32_t p = 2 * i;
    net.places.push_back({.name = "p" + std::to_string(i), .tokens = i == 0 ? 1U : 0U});
    net.places.push_back({.name = "q" + std::to_string(i), .tokens = i == 0 ? 1U : 0U});
    if (i == 0) continue;
    net.transitions.push_back(
        {.name = "t" + std::to_string(i), .pre = {{p - 2}, {p - 1}}, .post = {{p}, {p + 1}}});
  }
  EXPECT_FALSE(find_invariants(net, 100).all);
}

}  // namespace
}  // namespace lockbench
