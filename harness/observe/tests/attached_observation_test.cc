// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/attach/attached_observation.h"

#include <cstdint>
#include <linux/futex.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/observe/observation/verdict.h"

namespace lockbench {
namespace {

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kBegin = 1'000 * kMs;  // of a window of one second

// A function of the program by the number that stands for a stack, and what it calls.
enum Code : std::uint64_t { kServe = 1, kIdle = 2, kRaw = 3, kNowhere = 4 };

std::vector<CodeLocation> callers_of(const stress::StackCopy& stack) {
  const auto in = [](const char* module, const char* function, std::uint64_t offset) {
    CodeLocation location;
    location.module = module;
    location.function = function;
    location.offset = offset;
    return location;
  };
  switch (stack.instruction) {
    case kServe:
      return {in("/lib/libc.so.6", "pthread_mutex_lock", 1), in("/bin/s", "serve", 2)};
    case kIdle:
      return {in("/lib/libc.so.6", "pthread_cond_wait", 3), in("/bin/s", "idle", 4)};
    case kRaw:
      return {in("/lib/libc.so.6", "syscall", 5), in("/bin/s", "take", 6)};
    default:
      return {};
  }
}

class Trace {
 public:
  Trace() {
    trace_.begin_ns = kBegin;
    trace_.end_ns = kBegin + 1'000 * kMs;
    process_.threads = 8;
    process_.processor_s = 0.1;
  }

  // From a millisecond of the window to another one.
  Trace& wait(std::uint32_t thread, std::uint64_t address, Code code, int from, int until,
              std::uint32_t operation = FUTEX_WAIT) {
    trace_.waits.push_back({.thread = thread,
                            .address = address,
                            .begin_ns = at(from),
                            .end_ns = at(until),
                            .operation = operation,
                            .stack = stack(thread, address, code, operation)});
    return *this;
  }
  Trace& open(std::uint32_t thread, std::uint64_t address, Code code, int from) {
    trace_.open[thread] = {.address = address,
                           .begin_ns = at(from),
                           .operation = FUTEX_WAIT,
                           .stack = stack(thread, address, code, FUTEX_WAIT)};
    return *this;
  }
  Trace& wakes(std::uint32_t thread, std::uint64_t address, std::uint64_t count) {
    trace_.wakes[{address, thread}] = count;
    return *this;
  }
  Trace& lost(std::uint64_t count) {
    trace_.lost = count;
    return *this;
  }
  // Threads that sleep 20 ms after the begin.
  Trace& asleep(std::uint32_t thread, std::uint64_t address, Code code) {
    process_.asleep_at_ns = at(20);
    process_.asleep.push_back({.thread = thread,
                               .address = address,
                               .operation = FUTEX_WAIT,
                               .stack = {.instruction = code, .words = {}}});
    return *this;
  }
  Trace& left(std::uint32_t thread, int when) {
    trace_.left_ns[thread] = at(when);
    return *this;
  }

  Observation observation() const { return attached_observation(trace_, process_, callers_of, 0); }
  ObservedProcess process() const { return observation().processes.at(0); }

 private:
  static std::uint64_t at(int ms) { return kBegin + static_cast<std::uint64_t>(ms) * kMs; }

  std::size_t stack(std::uint32_t thread, std::uint64_t address, Code code,
                    std::uint32_t operation) {
    trace_.stacks.push_back({.thread = thread,
                             .address = address,
                             .operation = operation,
                             .stack = {.instruction = code, .words = {}}});
    return trace_.stacks.size() - 1;
  }

  FutexTrace trace_;
  AttachedProcess process_;
};

TEST(AttachedObservation, TimeInWhichSeveralThreadsWaitCountsOnce) {
  const ObservedProcess process = Trace()
                                      .wait(1, 0xa, kServe, 0, 100)
                                      .wait(2, 0xa, kServe, 50, 150)
                                      .wait(3, 0xb, kServe, 300, 400)
                                      .process();
  ASSERT_EQ(process.places.size(), 1U);
  const ObservedPlace& place = process.places[0];
  EXPECT_EQ(place.name(), "serve s+0x2");
  EXPECT_EQ(place.kind, observe::LockKind::kFutex);
  EXPECT_NEAR(place.blocked_s, 0.25, 1e-9);
  EXPECT_NEAR(place.greatest_gain, 0.25, 1e-9);
  EXPECT_EQ(place.threads, 3U);
  EXPECT_EQ(place.popularity.locks, 2U);
  EXPECT_EQ(place.hot_locks, 2U);
  EXPECT_EQ(place.contended, 3U);
  EXPECT_EQ(place.acquisitions, 0U);
  EXPECT_EQ(process.threads, 8U);
}

TEST(AttachedObservation, AWaitForAConditionIsAnEventAndForItsMutexALock) {
  const ObservedProcess process = Trace()
                                      .wait(1, 0xc, kIdle, 0, 900, FUTEX_WAIT_BITSET)
                                      .wait(1, 0xa, kIdle, 900, 1000, FUTEX_WAIT)
                                      .process();
  ASSERT_EQ(process.events.size(), 1U);
  EXPECT_EQ(process.events[0].kind, observe::LockKind::kFutexEvent);
  EXPECT_NEAR(process.events[0].blocked_s, 0.9, 1e-9);
  ASSERT_EQ(process.places.size(), 1U);
  EXPECT_NEAR(process.greatest_gain, 0.1, 1e-9);
}

TEST(AttachedObservation, OfOtherFutexesWhoWakesDecides) {
  Trace trace;
  trace.wait(1, 0xa, kRaw, 0, 100).wait(2, 0xa, kRaw, 100, 200);
  EXPECT_EQ(trace.process().events.at(0).kind, observe::LockKind::kFutexUnknown);
  trace.wakes(1, 0xa, 5);
  EXPECT_EQ(trace.process().places.at(0).own_posts, 5U);
  trace.wakes(9, 0xa, 50);
  const ObservedProcess process = trace.process();
  EXPECT_TRUE(process.places.empty());
  EXPECT_EQ(process.events.at(0).other_posts, 50U);
}

TEST(AttachedObservation, TheKernelHandsLocksOn) {
  EXPECT_EQ(Trace().wait(1, 0xa, kRaw, 0, 9, FUTEX_LOCK_PI).process().places.size(), 1U);
}

TEST(AttachedObservation, AWaitThatLastsAtTheEndCountsToTheEnd) {
  EXPECT_NEAR(Trace().open(1, 0xa, kServe, 600).process().blocked_s, 0.4, 1e-9);
}

TEST(AttachedObservation, AWaitFromBeforeTheWindowCountsFromItsBegin) {
  EXPECT_NEAR(Trace().asleep(1, 0xa, kServe).process().blocked_s, 1, 1e-9);
  EXPECT_NEAR(Trace().asleep(1, 0xa, kServe).left(1, 70).process().blocked_s, 0.07, 1e-9);
  // It had left the earlier one, and sleeps in one that the trace has.
  Trace known;
  known.asleep(1, 0xa, kServe).left(1, 5).wait(1, 0xa, kServe, 10, 30);
  EXPECT_NEAR(known.process().blocked_s, 0.02, 1e-9);
  Trace open;
  open.asleep(1, 0xa, kServe).open(1, 0xa, kServe, 10);
  EXPECT_NEAR(open.process().blocked_s, 0.99, 1e-9);
}

TEST(AttachedObservation, TheTimelineHasEachSecond) {
  const ObservedProcess process = Trace().wait(1, 0xa, kServe, 0, 500).process();
  ASSERT_EQ(process.timeline.size(), 1U);
  EXPECT_NEAR(process.timeline[0].until_s, 1, 1e-9);
  EXPECT_NEAR(process.timeline[0].blocked_share, 0.5, 1e-9);
}

std::string notes_of(const Verdict& verdict) {
  std::string text;
  for (const std::string& note : verdict.notes) text += note + "\n";
  return text;
}

TEST(AttachedVerdict, FewWaitsAreNoAcquittal) {
  for (const Observation& seen :
       {Trace().observation(), Trace().wait(1, 0xa, kServe, 0, 1).observation()}) {
    const Verdict verdict = verdict_of(seen, "s");
    EXPECT_EQ(verdict.kind, VerdictKind::kPartlySeen) << verdict.answer;
    EXPECT_NE(notes_of(verdict).find("acquisitions without a wait"), std::string::npos);
  }
  const Verdict much = verdict_of(Trace().wait(1, 0xa, kServe, 0, 500).observation(), "s");
  EXPECT_EQ(much.kind, VerdictKind::kMayCost);
}

TEST(AttachedVerdict, SaysWhatWasLost) {
  const Observation seen =
      Trace().wait(1, 0xa, kServe, 0, 1).wait(2, 0xb, kNowhere, 0, 1).lost(3).observation();
  EXPECT_EQ(seen.coverage.futex_samples, 5U);
  EXPECT_EQ(seen.coverage.seen_futex_samples, 1U);
  EXPECT_NE(notes_of(verdict_of(seen, "s")).find("4 of 5 futex waits, which bpftrace lost"),
            std::string::npos);
}

}  // namespace
}  // namespace lockbench
