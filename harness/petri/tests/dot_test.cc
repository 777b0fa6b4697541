// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/net/dot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/petri/net/promela.h"
#include "harness/petri/tests/nets.h"

namespace lockbench {
namespace {

using testing::HasSubstr;
using testing::Not;

// One token, one transition.
Net pair() {
  return {
      .name = "pair",
      .places = {{.name = "p", .label = "waits", .owner = "thread 1", .tokens = 1}, {.name = "q"}},
      .transitions = {moves("goes", 0, 1)}};
}

std::size_t count(const std::string& text, const std::string& piece) {
  std::size_t n = 0;
  for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) {
    ++n;
  }
  return n;
}

TEST(Dot, HasEveryNodeArcTokenAndThread) {
  const std::string dot = dot_of(pair(), {1, 0});
  EXPECT_EQ(count(dot, "shape=ellipse"), 2u);
  EXPECT_EQ(count(dot, "shape=box"), 1u);
  EXPECT_EQ(count(dot, "->"), 2u);
  EXPECT_EQ(count(dot, "●"), 1u);
  EXPECT_THAT(dot, HasSubstr("label=\"thread 1\""));
  EXPECT_THAT(dot, Not(HasSubstr("dashed")));
}

TEST(Dot, ShowsTheTokensOfTheMarking) {
  EXPECT_THAT(dot_of(pair(), {0, 3}), HasSubstr("●●●\\nq"));
  EXPECT_THAT(dot_of(pair(), {0, 5}), HasSubstr("\"5\\nq"));
}

TEST(Dot, DrawsSilentTransitionsDashed) {
  Net net = pair();
  net.transitions[0].event.reset();
  EXPECT_THAT(dot_of(net, {1, 0}), HasSubstr("dashed"));
}

TEST(Dot, DrawsAReadArcAsOneEdgeWithTwoHeads) {
  const Net net = {.places = {{.name = "p", .tokens = 1}},
                   .transitions = {{.name = "reads", .pre = {{0}}, .post = {{0}}}}};
  EXPECT_EQ(count(dot_of(net, {1}), "->"), 1u);
  EXPECT_THAT(dot_of(net, {1}), HasSubstr("dir=both"));
}

TEST(Dot, ShowsWeights) {
  const Net net = {.places = {{.name = "p", .tokens = 2}, {.name = "q"}},
                   .transitions = {{.name = "t", .pre = {{0, 2}}, .post = {{0, 1}, {1, 3}}}}};
  EXPECT_THAT(dot_of(net, {2, 0}), HasSubstr("label=\"−2 +1\""));
  EXPECT_THAT(dot_of(net, {2, 0}), HasSubstr("label=\"3\""));
}

TEST(Dot, EscapesLabels) {
  Net net = pair();
  net.places[1].label = "a \"b\" \\n c";
  EXPECT_THAT(dot_of(net, {1, 0}), HasSubstr("a \\\"b\\\" \\\\n c"));
}

TEST(Promela, NamesCannotEndAComment) {
  Net net = pair();
  net.places[0].label = "x */ y";
  EXPECT_EQ(count(promela_of(net), "*/"), count(promela_of(net), "/*"));
}

}  // namespace
}  // namespace lockbench
