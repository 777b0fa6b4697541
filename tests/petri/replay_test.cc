// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/replay.h"

#include <algorithm>
#include <random>
#include <span>

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

// Events of a random way through the net, whatever it is seen to do; no thread ends.
Events long_trace(const Net& net, std::size_t most) {
  std::mt19937_64 random(1);
  Marking marking = initial_marking(net);
  Events events;
  while (events.size() < most) {
    std::vector<const NetTransition*> open;
    for (const NetTransition& transition : net.transitions) {
      const bool ends = transition.name.ends_with("_ends") || transition.event.ends_with("dies");
      if (!ends && is_enabled(transition, marking)) open.push_back(&transition);
    }
    if (open.empty()) break;
    const NetTransition& next = *open[random() % open.size()];
    fire(next, marking);
    if (!next.event.empty()) events.push_back(next.event);
  }
  return events;
}

TEST(Replay, FollowsTenThousandEventsOfEveryModel) {
  for (const ModelEntry& entry : model_entries()) {
    const Net net = model({.primitive = entry.name});
    const Events events = long_trace(net, 10'000);
    ASSERT_EQ(events.size(), 10'000u) << entry.name;
    const Replay done = replay(net, events);
    EXPECT_TRUE(done.conforms) << entry.name << " at " << done.refused;
    EXPECT_TRUE(done.certain) << entry.name;
  }
}

// What a lock keeps apart is a thread's taking before another's letting go: such a pair, swapped.
TEST(Replay, RefusesALongTraceOfEveryLockWhereTwoEventsAreSwapped) {
  for (const ModelEntry& entry : model_entries()) {
    if (entry.name == "none" || entry.name == "test_then_set") continue;  // exclude nobody
    for (const std::uint32_t threads : {3, 8}) {
      const Net net = model({.primitive = entry.name, .threads = threads});
      Events events = long_trace(net, 10'000);
      std::size_t at = 7'000;
      while (true) {
        std::swap(events[at], events[at + 1]);
        if (!replay(net, std::span(events).first(at + 1)).conforms) break;
        std::swap(events[at], events[at + 1]);
        ASSERT_LT(++at, 7'200u) << entry.name;
      }
      const Replay refused = replay(net, events);
      EXPECT_FALSE(refused.conforms) << entry.name;
      EXPECT_EQ(refused.refused, at) << entry.name;
      EXPECT_TRUE(refused.certain) << entry.name;
    }
  }
}

// What was put in afterwards stands where it was possible.
TEST(Replay, StepsAreAFiringSequenceWhateverWasLookedAtUnseen) {
  for (const ModelEntry& entry : model_entries()) {
    const Net net = model({.primitive = entry.name, .threads = 6});
    Marking marking = initial_marking(net);
    for (const std::uint32_t t : replay(net, long_trace(net, 2'000)).steps) {
      ASSERT_TRUE(is_enabled(net.transitions[t], marking)) << net.transitions[t].name;
      fire(net.transitions[t], marking);
    }
  }
}

// Whoever has set the flag has to clear it and look again.
TEST(Replay, AGlanceIsNoneWhenTheFlagWasNeverClearSince) {
  const Net net = model({.primitive = "test_then_set", .threads = 2});
  const Events begin{"thread 1 takes the lock", "thread 2 takes the lock",
                     "thread 2 lets go of the lock"};
  Events cleared = begin;
  cleared.push_back("thread 2 takes the lock");
  EXPECT_TRUE(replay(net, cleared).conforms);
  Events still_set{"thread 1 takes the lock", "thread 2 takes the lock",
                   "thread 1 lets go of the lock", "thread 2 lets go of the lock"};
  still_set.insert(still_set.end(), {"thread 1 takes the lock", "thread 1 takes the lock"});
  const Replay refused = replay(net, still_set);
  EXPECT_FALSE(refused.conforms);
  EXPECT_EQ(refused.refused, 5u);
  EXPECT_TRUE(refused.certain);
}

// Each thread saw the flag clear before any of them set it, which nobody saw it do.
TEST(Replay, LooksUnseenWhileThereIsSomethingToSee) {
  const Net net = model({.primitive = "test_then_set", .threads = 8});
  Events all;
  for (int thread = 1; thread <= 8; ++thread) {
    all.push_back("thread " + std::to_string(thread) + " takes the lock");
  }
  EXPECT_TRUE(replay(net, all).conforms);
  all.push_back("thread 1 takes the lock");
  const Replay refused = replay(net, all);
  EXPECT_EQ(refused.refused, 8u);
  EXPECT_TRUE(refused.certain);
}

TEST(Replay, IsCertainOfManyThreadsThatNeedToLookAtNothing) {
  for (const char* name : {"global", "striped", "reentrant", "lease", "file", "timed_hold"}) {
    const Net net = model({.primitive = name, .threads = 8});
    Events events = long_trace(net, 1'000);
    EXPECT_TRUE(replay(net, events).conforms) << name;
    const auto take = std::find_if(events.begin(), events.end(), [](const std::string& event) {
      return event.find("takes") != std::string::npos;
    });
    const std::string again = *take;
    events.insert(events.end(), 9, again);
    const Replay refused = replay(net, events);
    EXPECT_FALSE(refused.conforms) << name;
    EXPECT_TRUE(refused.certain) << name;
  }
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
