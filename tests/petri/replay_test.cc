#include "harness/petri/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/petri/nets.h"

namespace lockbench {
namespace {

using testing::Contains;
using testing::ElementsAre;

using Events = std::vector<std::string>;

TEST(Replay, FollowsWhatTheNetCanDo) {
  const Net net = crossed();
  const Replay done = replay(net, Events{"x_a", "x_b", "x_out", "y_b"});
  EXPECT_TRUE(done.conforms);
  EXPECT_THAT(done.steps, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(done.untaken, ElementsAre(4, 5));
}

TEST(Replay, RefusesTheFirstEventThatCannotBe) {
  const Replay refused = replay(crossed(), Events{"x_a", "y_a", "y_b"});
  EXPECT_FALSE(refused.conforms);
  EXPECT_FALSE(refused.unknown);
  EXPECT_EQ(refused.refused, 1u);
  EXPECT_THAT(refused.possible, ElementsAre("x_b", "y_b"));
  EXPECT_EQ(refused.before[1], 1u);
}

TEST(Replay, TellsAnEventOfAnotherNet) {
  const Replay refused = replay(crossed(), Events{"x_a", "z"});
  EXPECT_TRUE(refused.unknown);
  EXPECT_EQ(refused.refused, 1u);
}

TEST(Replay, PutsInStepsThatNobodySees) {
  const Net net = model({.primitive = "keyed", .threads = 2});
  EXPECT_TRUE(replay(net, Events{"thread 1 takes a", "thread 2 takes b", "thread 1 lets go of a",
                                 "thread 1 takes a", "thread 2 lets go of b"})
                  .conforms);
  const Replay two = replay(net, Events{"thread 1 takes a", "thread 2 takes a"});
  EXPECT_FALSE(two.conforms);
  EXPECT_EQ(two.refused, 1u);
  EXPECT_THAT(two.possible, Contains("thread 2 takes b"));
}

TEST(Replay, FollowsTenThousandEventsOfALockAndRefusesASwappedOne) {
  const Net net = model({.primitive = "global", .threads = 4});
  Events events;
  for (std::size_t i = 0; i < 5000; ++i) {
    const std::string thread = "thread " + std::to_string(i * 7 % 4 + 1);
    events.push_back(thread + " takes the lock");
    events.push_back(thread + " lets go of the lock");
  }
  EXPECT_TRUE(replay(net, events).conforms);
  std::swap(events[7001], events[7002]);
  const Replay refused = replay(net, events);
  EXPECT_FALSE(refused.conforms);
  EXPECT_EQ(refused.refused, 7001u);
}

TEST(Replay, FollowsATourOfEveryModel) {
  for (const ModelEntry& entry : model_entries()) {
    const Net net = model({.primitive = entry.name});
    Events events;
    for (const std::uint32_t t : tour(net, 500)) {
      if (!net.transitions[t].event.empty()) events.push_back(net.transitions[t].event);
    }
    const Replay done = replay(net, events);
    EXPECT_TRUE(done.conforms) << entry.name << " at " << done.refused;
  }
}

TEST(Tour, TakesEveryTransitionThatItCan) {
  const Net net = model({.primitive = "reentrant", .threads = 2});
  const std::vector<std::uint32_t> steps = tour(net, 500);
  for (std::uint32_t t = 0; t < net.transitions.size(); ++t) {
    if (net.transitions[t].name.ends_with("_ends")) continue;
    EXPECT_THAT(steps, Contains(t)) << net.transitions[t].name;
  }
}

}  // namespace
}  // namespace lockbench
