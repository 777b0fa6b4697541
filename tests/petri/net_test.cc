// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/net.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/petri/nets.h"

namespace lockbench {
namespace {

using testing::HasSubstr;

std::string complaint(const Net& net) {
  return std::string(validate(net).message());
}

TEST(Net, FiresWhatIsEnabledAndMovesWeights) {
  Net net = {.places = {{.name = "p", .tokens = 2}, {.name = "q"}},
             .transitions = {{.name = "t", .takes = {{0, 2}}, .gives = {{1, 3}}}}};
  Marking marking = initial_marking(net);
  ASSERT_TRUE(is_enabled(net.transitions[0], marking));
  fire(net.transitions[0], marking);
  EXPECT_EQ(marking, (Marking{0, 3}));
  EXPECT_FALSE(is_enabled(net.transitions[0], marking));
}

TEST(Net, IsFinalWithAtLeastTheTokensThatAreWanted) {
  Net net = {.places = {{.name = "p"}, {.name = "q"}}};
  EXPECT_FALSE(is_final(net, {1, 1}));
  net.final_tokens = {{1, 1}};
  EXPECT_TRUE(is_final(net, {5, 1}));
  EXPECT_FALSE(is_final(net, {5, 0}));
}

TEST(Net, ClaimsCountAPlaceAsOftenAsItIsNamed) {
  const Net net = {.places = {{.name = "p"}, {.name = "q"}}, .claims = {{"", {0, 1, 1}, 2}}};
  EXPECT_EQ(broken_claim(net, {0, 1}), nullptr);
  EXPECT_NE(broken_claim(net, {1, 1}), nullptr);
}

TEST(Net, ValidationNamesWhatIsWrong) {
  Net net = crossed();
  EXPECT_TRUE(validate(net).ok());
  net.transitions[0].takes.push_back({99});
  EXPECT_THAT(complaint(net), HasSubstr("'x_a' has an arc to place number 99"));
  net = crossed();
  net.transitions[0].gives.push_back({1});
  EXPECT_THAT(complaint(net), HasSubstr("two arcs to place 'x1'"));
  net = crossed();
  net.transitions[0].takes[0].weight = 0;
  EXPECT_THAT(complaint(net), HasSubstr("weight 0"));
  net = crossed();
  net.places[1].name = "x0";
  EXPECT_THAT(complaint(net), HasSubstr("'x0' is used twice"));
}

TEST(Net, ASymmetryIsOneOnlyIfArcsAndTokensAgree) {
  Net net = crossed();
  net.symmetries = {{{{0, 1, 2}, {3, 4, 5}}}};
  EXPECT_FALSE(validate(net).ok());  // x takes a first, y takes b first
  Net same = model({.primitive = "global", .threads = 4});
  EXPECT_TRUE(validate(same).ok());
  same.places[same.symmetries[0].columns[1][0]].tokens = 0;
  EXPECT_FALSE(validate(same).ok());
}

}  // namespace
}  // namespace lockbench
