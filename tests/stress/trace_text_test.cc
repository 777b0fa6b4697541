// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/trace/trace_text.h"

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/stress/trace/deciding.h"
#include "harness/stress/worker_slot.h"

namespace lockbench::stress {
namespace {

using ::testing::ElementsAre;

TEST(Event, ComesBackFromItsWord) {
  const Event event{.kind = Event::kAcquire,
                    .thread = 200,
                    .key = 65'535,
                    .other = 7,
                    .lease = 32'767,
                    .pair = true};
  EXPECT_EQ(event_from(pack(event)), event);
  EXPECT_NE(pack(Event{.kind = Event::kEnd}), 0U);
}

TEST(TraceText, IsInTheOrderOfTime) {
  EXPECT_THAT(to_text({{3'500, {.kind = Event::kAcquire, .thread = 1}},
                       {1'000, {.kind = Event::kRelease, .key = 3}},
                       {9'000, {.kind = Event::kEnd, .thread = 2}}},
                      TimeUnit::kNanoseconds, 1'000, "process"),
              ElementsAre("0.0 us, process 0 releases key 3", "2.5 us, process 1 acquires key 0",
                          "8.0 us, process 2 ends"));
}

TEST(TraceText, NamesBothKeysOfAPairAndTheLeaseOfAHold) {
  EXPECT_THAT(to_text({{4, {.kind = Event::kRequest, .key = 1, .other = 2, .pair = true}},
                       {5, {.kind = Event::kAcquire, .key = 1, .lease = 3}}},
                      TimeUnit::kSteps, 0, "thread"),
              ElementsAre("step 4, thread 0 requests keys 1 and 2",
                          "step 5, thread 0 acquires key 1 (lease 3)"));
}

TEST(TraceText, HasTheLastEventsOfALongTrace) {
  std::vector<TimedEvent> events;
  for (std::uint64_t i = 0; i < 100; ++i) {
    events.push_back({i * 1'000, {.kind = Event::kRequest}});
  }
  const auto lines = to_text(events, TimeUnit::kNanoseconds, 0, "thread");
  EXPECT_EQ(lines.size(), 60U);
  EXPECT_EQ(lines.back(), "99.0 us, thread 0 requests key 0");
}

TraceStep access(std::int32_t thread, const char* act, const char* word) {
  return {.thread = thread, .act = act, .source_line = act, .access = true, .word = word};
}

TEST(Reordered, IsWhatOnlyOneExecutionMadeInThisOrder) {
  const TraceStep looks = access(0, "load", "lock"), other_looks = access(1, "load", "lock");
  const TraceStep takes = access(0, "store", "lock"), other_takes = access(1, "store", "lock");
  using Pair = std::pair<std::size_t, std::size_t>;
  // In the passing execution, the second thread looks when the first has taken the lock.
  EXPECT_THAT(
      reordered({looks, other_looks, takes, other_takes}, {looks, takes, other_looks, other_takes}),
      ElementsAre(Pair(1, 2)));
  // A store counts when it leaves its buffer.
  const TraceStep buffers = access(0, "buffered_store", "lock"),
                  leaves = access(0, "flush", "lock");
  EXPECT_THAT(reordered({looks, buffers, other_looks}, {looks, buffers, leaves, other_looks}),
              ElementsAre(Pair(2, 1)));
  // Two loads have no order, and other words have none with this one.
  EXPECT_THAT(reordered({looks, other_looks}, {other_looks, looks}), ElementsAre());
  EXPECT_THAT(reordered({takes, access(1, "store", "word")}, {access(1, "store", "word"), takes}),
              ElementsAre());
  // From where a thread does something else, its accesses are others.
  EXPECT_THAT(
      reordered({looks, takes, other_takes}, {access(0, "load", "word"), other_takes, takes}),
      ElementsAre());
}

TEST(TraceText, SaysWhichAccessesDecide) {
  TraceStep decides = access(1, "load", "lock");
  decides.at = 7;
  decides.text = "reads lock: 0";
  decides.decides = true;
  EXPECT_THAT(to_text(std::vector<TraceStep>{decides}),
              ElementsAre("step 7, thread 1   reads lock: 0  [load]  <-- decides"));
}

TraceStep load(std::uint64_t at, std::int32_t thread, const char* text) {
  return {.at = at, .thread = thread, .text = text, .act = "load", .access = true};
}

TEST(TraceText, FoldsPollsThatSayTheSameUntilTheThreadDoesSomethingElse) {
  TraceStep wrong = load(8, 1, "reads lock+8: 0");
  wrong.wrong = true;
  const std::vector<TraceStep> steps = {load(1, 0, "reads lock+0: 1"),
                                        load(2, 1, "reads lock+8: 0"),
                                        load(3, 0, "reads lock+4: 1"),
                                        load(4, 0, "reads lock+0: 1"),
                                        load(5, 1, "reads lock+8: 0"),
                                        load(6, 1, "reads lock+8: 0"),
                                        load(7, 0, "reads lock+4: 1"),
                                        wrong,
                                        {.at = 9, .thread = 0, .text = "releases key 0"},
                                        load(10, 0, "reads lock+0: 1")};
  EXPECT_THAT(
      to_text(with_polls_folded(steps)),
      ElementsAre("step 1, thread 0   reads lock+0: 1, and again at step 4",
                  "step 2, thread 1   reads lock+8: 0, and 2 more times, the last at step 6",
                  "step 3, thread 0   reads lock+4: 1, and again at step 7",
                  "step 8, thread 1   reads lock+8: 0  <-- here it goes wrong",
                  "step 9, thread 0 releases key 0", "step 10, thread 0   reads lock+0: 1"));
}

TEST(TraceText, KeepsPollsOfOtherValues) {
  const std::vector<TraceStep> steps = {
      load(1, 0, "reads lock+0: 1"), load(2, 0, "reads lock+0: 2"), load(3, 0, "reads lock+0: 1")};
  EXPECT_EQ(with_polls_folded(steps).size(), 2U);
}

TEST(RecentEvents, KeepsTheLastOnesSinceAGivenTime) {
  RecentEvents recent{};
  for (std::uint64_t i = 1; i <= 40; ++i) {
    recent.record({.kind = Event::kRequest, .key = static_cast<std::uint16_t>(i)}, i);
  }
  EXPECT_EQ(recent.count(), 40U);
  EXPECT_EQ(recent.now().key, 40);
  std::vector<TimedEvent> events;
  recent.append_to(events, 35);
  EXPECT_EQ(events.size(), 6U);
}

}  // namespace
}  // namespace lockbench::stress
