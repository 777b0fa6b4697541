// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/net/net_event.h"

#include <gtest/gtest.h>

#include "harness/petri/tests/nets.h"

namespace lockbench {
namespace {

TEST(NetEvent, TextParsesToTheSameEvent) {
  for (const ModelEntry& entry : model_entries()) {
    for (const NetTransition& transition : model({.primitive = entry.name}).transitions) {
      if (!transition.event) continue;
      EXPECT_EQ(parse_event(text_of(*transition.event)), *transition.event) << transition.name;
      EXPECT_NE(transition.event->verb, NetEvent::kFires) << transition.name;
    }
  }
}

TEST(NetEvent, ParsesThreadVerbAndLock) {
  const NetEvent event{.thread = 12, .verb = NetEvent::kAcquires, .lock = "stripe 1"};
  EXPECT_EQ(parse_event("thread 12 acquires stripe 1"), event);
  EXPECT_EQ(parse_event("thread 1 dies"), (NetEvent{.thread = 1, .verb = NetEvent::kDies}));
}

TEST(NetEvent, ReadsTracesOfEarlierVersions) {
  EXPECT_EQ(parse_event("thread 1 takes a"), parse_event("thread 1 acquires a"));
  EXPECT_EQ(parse_event("thread 1 lets go of a"), parse_event("thread 1 releases a"));
}

TEST(NetEvent, OtherTextIsTheNameOfAnEvent) {
  for (const char* text : {"read0", "", "thread", "thread 1", "thread x acquires a",
                           "thread 0 acquires a", "thread 1 acquires", "thread 1 dies again"}) {
    EXPECT_EQ(parse_event(text), NetEvent{.lock = text});
    EXPECT_EQ(text_of(parse_event(text)), text);
  }
}

}  // namespace
}  // namespace lockbench
