// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/net/net.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/petri/tests/nets.h"

namespace lockbench {
namespace {

using testing::HasSubstr;

std::string complaint(const Net& net) {
  return std::string(validate(net).message());
}

TEST(Net, FiresWhatIsEnabledAndMovesWeights) {
  Net net = {.places = {{.name = "p", .tokens = 2}, {.name = "q"}},
             .transitions = {{.name = "t", .pre = {{0, 2}}, .post = {{1, 3}}}}};
  Marking marking = initial_marking(net);
  ASSERT_TRUE(is_enabled(net.transitions[0], marking));
  fire(net.transitions[0], marking);
  EXPECT_EQ(marking, (Marking{0, 3}));
  EXPECT_FALSE(is_enabled(net.transitions[0], marking));
}

TEST(Net, ValidationNamesTheViolation) {
  Net net = crossed();
  EXPECT_TRUE(validate(net).ok());
  net.transitions[0].pre.push_back({99});
  EXPECT_THAT(complaint(net), HasSubstr("'x_a' has an arc to place number 99"));
  net = crossed();
  net.transitions[0].post.push_back({1});
  EXPECT_THAT(complaint(net), HasSubstr("two arcs to place 'x1'"));
  net = crossed();
  net.transitions[0].pre[0].weight = 0;
  EXPECT_THAT(complaint(net), HasSubstr("weight 0"));
  net = crossed();
  net.places[1].name = "x0";
  EXPECT_THAT(complaint(net), HasSubstr("'x0' is used twice"));
}

TEST(Net, ASymmetryRequiresEqualArcsAndTokens) {
  Net net = crossed();
  net.symmetries = {{{{0, 1, 2}, {3, 4, 5}}}};
  EXPECT_FALSE(validate(net).ok());  // x takes a first, y takes b first
  Net same = model({.primitive = "global", .threads = 4});
  EXPECT_TRUE(validate(same).ok());
  same.places[same.symmetries[0].components[1][0]].tokens = 0;
  EXPECT_FALSE(validate(same).ok());
}

}  // namespace
}  // namespace lockbench
