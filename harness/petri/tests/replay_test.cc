// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/net/replay.h"

#include <algorithm>
#include <random>
#include <span>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/petri/tests/nets.h"

namespace lockbench {
namespace {

using testing::Contains;
using testing::ElementsAre;

using Events = std::vector<NetEvent>;

TEST(Replay, AcceptsAFiringSequence) {
  const Net net = crossed();
  const ReplayResult done = replay(net, parse_events({"x_a", "x_b", "x_out", "y_b"}));
  EXPECT_TRUE(done.conforms);
  EXPECT_THAT(done.steps, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(done.unfired, ElementsAre(4, 5));
}

TEST(Replay, RefusesTheFirstImpossibleEvent) {
  const ReplayResult refused = replay(crossed(), parse_events({"x_a", "y_a", "y_b"}));
  EXPECT_FALSE(refused.conforms);
  EXPECT_FALSE(refused.unknown);
  EXPECT_EQ(refused.refused, 1u);
  EXPECT_THAT(refused.possible, ElementsAre(parse_event("x_b"), parse_event("y_b")));
  EXPECT_EQ(refused.before[1], 1u);
}

TEST(Replay, RecognizesAnEventOfAnotherNet) {
  const ReplayResult refused = replay(crossed(), parse_events({"x_a", "z"}));
  EXPECT_TRUE(refused.unknown);
  EXPECT_EQ(refused.refused, 1u);
}

TEST(Replay, InsertsSilentTransitions) {
  const Net net = model({.primitive = "keyed", .threads = 2});
  EXPECT_TRUE(
      replay(net, parse_events({"thread 1 acquires a", "thread 2 acquires b", "thread 1 releases a",
                                "thread 1 acquires a", "thread 2 releases b"}))
          .conforms);
  const ReplayResult two =
      replay(net, parse_events({"thread 1 acquires a", "thread 2 acquires a"}));
  EXPECT_FALSE(two.conforms);
  EXPECT_EQ(two.refused, 1u);
  EXPECT_THAT(two.possible, Contains(parse_event("thread 2 acquires b")));
}

// The events of a random firing sequence in which no thread ends.
Events long_trace(const Net& net, std::size_t most) {
  std::mt19937_64 random(1);
  Marking marking = initial_marking(net);
  Events events;
  while (events.size() < most) {
    std::vector<const NetTransition*> open;
    for (const NetTransition& transition : net.transitions) {
      const bool ends = transition.name.ends_with("_ends") ||
                        (transition.event && transition.event->verb == NetEvent::kDies);
      if (!ends && is_enabled(transition, marking)) open.push_back(&transition);
    }
    if (open.empty()) break;
    const NetTransition& next = *open[random() % open.size()];
    fire(next, marking);
    if (next.event) events.push_back(*next.event);
  }
  return events;
}

// A thread of `keyed_shared` reads and decides at each of its silent steps. Long traces of it have
// more explanations than the matcher follows.
bool can_be_certain(const ModelEntry& entry) {
  return std::string_view(entry.name) != "keyed_shared";
}

TEST(Replay, FollowsTenThousandEventsOfEveryModel) {
  for (const ModelEntry& entry : model_entries()) {
    if (!can_be_certain(entry)) continue;
    const Net net = model({.primitive = entry.name});
    const Events events = long_trace(net, 10'000);
    ASSERT_EQ(events.size(), 10'000u) << entry.name;
    const ReplayResult done = replay(net, events);
    EXPECT_TRUE(done.conforms) << entry.name << " at " << done.refused;
    EXPECT_TRUE(done.certain) << entry.name;
  }
}

// A lock prevents that a thread acquires it before another releases it: such a pair, swapped.
TEST(Replay, RefusesALongTraceOfEveryLockWhereTwoEventsAreSwapped) {
  for (const ModelEntry& entry : model_entries()) {
    if (entry.name == "none" || entry.name == "test_then_set") continue;  // exclude nobody
    if (!can_be_certain(entry)) continue;
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
      const ReplayResult refused = replay(net, events);
      EXPECT_FALSE(refused.conforms) << entry.name;
      EXPECT_EQ(refused.refused, at) << entry.name;
      EXPECT_TRUE(refused.certain) << entry.name;
    }
  }
}

// Deferred reads are inserted where they were enabled.
TEST(Replay, StepsAreAFiringSequenceWithDeferredReads) {
  for (const ModelEntry& entry : model_entries()) {
    if (!can_be_certain(entry)) continue;
    const Net net = model({.primitive = entry.name, .threads = 6});
    Marking marking = initial_marking(net);
    for (const std::uint32_t t : replay(net, long_trace(net, 2'000)).steps) {
      ASSERT_TRUE(is_enabled(net.transitions[t], marking)) << net.transitions[t].name;
      fire(net.transitions[t], marking);
    }
  }
}

// A thread that has set the flag must clear it before it can read it clear again.
TEST(Replay, AReadIsImpossibleIfTheFlagWasNeverClear) {
  const Net net = model({.primitive = "test_then_set", .threads = 2});
  const Events begin = parse_events(
      {"thread 1 acquires the lock", "thread 2 acquires the lock", "thread 2 releases the lock"});
  Events cleared = begin;
  cleared.push_back(parse_event("thread 2 acquires the lock"));
  EXPECT_TRUE(replay(net, cleared).conforms);
  Events still_set = parse_events({"thread 1 acquires the lock", "thread 2 acquires the lock",
                                   "thread 1 releases the lock", "thread 2 releases the lock"});
  still_set.insert(still_set.end(), 2, parse_event("thread 1 acquires the lock"));
  const ReplayResult refused = replay(net, still_set);
  EXPECT_FALSE(refused.conforms);
  EXPECT_EQ(refused.refused, 5u);
  EXPECT_TRUE(refused.certain);
}

// Each thread read the flag before any of them set it, in a silent transition.
TEST(Replay, InsertsSilentReadsWhileTheyAreEnabled) {
  const Net net = model({.primitive = "test_then_set", .threads = 8});
  Events all;
  for (int thread = 1; thread <= 8; ++thread) {
    all.push_back(parse_event("thread " + std::to_string(thread) + " acquires the lock"));
  }
  EXPECT_TRUE(replay(net, all).conforms);
  all.push_back(parse_event("thread 1 acquires the lock"));
  const ReplayResult refused = replay(net, all);
  EXPECT_EQ(refused.refused, 8u);
  EXPECT_TRUE(refused.certain);
}

TEST(Replay, IsCertainForManyThreadsWithoutSilentReads) {
  for (const char* name : {"global", "striped", "reentrant", "lease", "file", "timed_hold"}) {
    const Net net = model({.primitive = name, .threads = 8});
    Events events = long_trace(net, 1'000);
    EXPECT_TRUE(replay(net, events).conforms) << name;
    const auto take = std::find_if(events.begin(), events.end(), [](const NetEvent& event) {
      return event.verb == NetEvent::kAcquires;
    });
    events.insert(events.end(), 9, NetEvent(*take));
    const ReplayResult refused = replay(net, events);
    EXPECT_FALSE(refused.conforms) << name;
    EXPECT_TRUE(refused.certain) << name;
  }
}

TEST(Replay, FollowsATourOfEveryModel) {
  for (const ModelEntry& entry : model_entries()) {
    const Net net = model({.primitive = entry.name});
    Events events;
    for (const std::uint32_t t : tour(net, 500)) {
      if (net.transitions[t].event) events.push_back(*net.transitions[t].event);
    }
    const ReplayResult done = replay(net, events);
    EXPECT_TRUE(done.conforms) << entry.name << " at " << done.refused;
  }
}

TEST(Tour, FiresEveryTransitionThatItCan) {
  const Net net = model({.primitive = "reentrant", .threads = 2});
  const std::vector<std::uint32_t> steps = tour(net, 500);
  for (std::uint32_t t = 0; t < net.transitions.size(); ++t) {
    if (net.transitions[t].name.ends_with("_ends")) continue;
    EXPECT_THAT(steps, Contains(t)) << net.transitions[t].name;
  }
}

}  // namespace
}  // namespace lockbench
