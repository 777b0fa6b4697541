// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/threads/supervisor.h"

#include <chrono>
#include <csignal>
#include <functional>
#include <sched.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/stress/threads/shared_state.h"

namespace lockbench::stress::threads {
namespace {

using testing::HasSubstr;

using Clock = std::chrono::steady_clock;

// True if the body returned.
bool watched(const SharedStateMemory& state, const std::function<void()>& body) {
  return supervise(
             *state, body, [] {}, Clock::time_point::max()) == Supervised::kReturned;
}

TEST(Supervisor, ABodyThatReturnsIsWell) {
  const SharedStateMemory state;
  EXPECT_TRUE(watched(state, [&] { add(state->own_slot().acquisitions, 3); }));
  EXPECT_EQ(get(state->own_slot().acquisitions), 3U);
}

TEST(Supervisor, ACrashIsToldWithItsSignalAndItsThread) {
  const SharedStateMemory state;
  EXPECT_FALSE(watched(state, [&] {
    put(state->slots[2].task, static_cast<std::uint64_t>(gettid()));
    std::raise(SIGSEGV);
  }));
  const Failure failure = failure_in(*state, {});
  EXPECT_EQ(failure.oracle, Oracle::kCrash);
  EXPECT_EQ(failure.what, "the process died of SIGSEGV in thread 2");
}

TEST(Supervisor, AProcessThatEndsItselfIsToldWithItsCode) {
  const SharedStateMemory state;
  EXPECT_FALSE(watched(state, [] { _exit(9); }));
  EXPECT_THAT(failure_in(*state, {}).what, HasSubstr("ended itself with code 9"));
}

TEST(Supervisor, AnEndWithCodeZeroIsNoReturn) {
  const SharedStateMemory state;
  EXPECT_FALSE(watched(state, [] { _exit(0); }));
}

TEST(Supervisor, AFailureOutlivesTheProcessThatNotedIt) {
  const SharedStateMemory state;
  EXPECT_FALSE(watched(state, [&] {
    fail(*state, 2, {Oracle::kToken, {.thread = 0, .key = 1, .x = 4, .y = 5}});
  }));
  const Failure failure = failure_in(*state, {});
  EXPECT_EQ(failure.oracle, Oracle::kToken);
  EXPECT_EQ(failure.what, "thread 0 got token 4 of key 1 after token 5");
}

TEST(Supervisor, ACallThatDoesNotReturnIsEnded) {
  const SharedStateMemory state;
  EXPECT_FALSE(watched(state, [&] {
    put(state->phase, SharedState::kChecking);
    for (;;) pause();
  }));
  EXPECT_EQ(failure_in(*state, {}).oracle, Oracle::kProgress);
}

// Its thread has progress to tell again and again, so it does not stall.
TEST(Supervisor, ABodyThatGoesOnWhenItsTimeIsOverIsEndedWithoutAFailure) {
  const SharedStateMemory state;
  const auto body = [&] {
    for (;;) add(state->beat);
  };
  EXPECT_EQ(supervise(
                *state, body, [] {}, Clock::now()),
            Supervised::kUnfinished);
  EXPECT_FALSE(state->failure.noted());
}

TEST(Supervisor, TheProcessorsOfItsThreadAreAsBefore) {
  cpu_set_t before;
  cpu_set_t after;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  const SharedStateMemory state;
  EXPECT_FALSE(watched(state, [&] {
    put(state->phase, SharedState::kChecking);
    for (;;) pause();
  }));
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(Supervisor, AKeyThatWaitsForAnotherIsNamed) {
  const SharedStateMemory state;
  EXPECT_FALSE(watched(state, [&] {
    put(state->phase, SharedState::kIndependence);
    put(state->held_key, 3);
    put(state->asked_key, 1);
    for (;;) pause();
  }));
  const Failure failure = failure_in(*state, {});
  EXPECT_EQ(failure.oracle, Oracle::kIndependence);
  EXPECT_THAT(failure.what, HasSubstr("while key 3 is held, key 1 cannot be acquired"));
}

}  // namespace
}  // namespace lockbench::stress::threads
