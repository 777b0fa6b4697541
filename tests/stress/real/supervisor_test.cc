// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/real/supervisor.h"

#include <csignal>
#include <functional>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/stress/real/testimony.h"

namespace lockbench::stress::real {
namespace {

using testing::HasSubstr;

bool watched(const SharedBoard& board, const std::function<void()>& body) {
  return watch_over(*board, body, [] {});
}

TEST(Supervisor, ABodyThatReturnsIsWell) {
  const SharedBoard board;
  EXPECT_TRUE(watched(board, [&] { add(board->own_line().acquisitions, 3); }));
  EXPECT_EQ(get(board->own_line().acquisitions), 3U);
}

TEST(Supervisor, ACrashIsToldWithItsSignalAndItsThread) {
  const SharedBoard board;
  EXPECT_FALSE(watched(board, [&] {
    put(board->lines[2].task, static_cast<std::uint64_t>(gettid()));
    std::raise(SIGSEGV);
  }));
  const Finding finding = finding_on(*board, {});
  EXPECT_EQ(finding.oracle, Oracle::kCrash);
  EXPECT_EQ(finding.what, "the process died of SIGSEGV in thread 2");
}

TEST(Supervisor, AProcessThatEndsItselfIsToldWithItsCode) {
  const SharedBoard board;
  EXPECT_FALSE(watched(board, [] { _exit(9); }));
  EXPECT_THAT(finding_on(*board, {}).what, HasSubstr("ended itself with code 9"));
}

TEST(Supervisor, AnEndWithCodeZeroIsNoReturn) {
  const SharedBoard board;
  EXPECT_FALSE(watched(board, [] { _exit(0); }));
}

TEST(Supervisor, AChargeOutlivesTheProcessThatMadeIt) {
  const SharedBoard board;
  EXPECT_FALSE(watched(board, [&] {
    convict(*board, {.oracle = Oracle::kToken, .fault = Charge::kToken, .key = 1, .x = 4, .y = 5});
  }));
  const Finding finding = finding_on(*board, {});
  EXPECT_EQ(finding.oracle, Oracle::kToken);
  EXPECT_EQ(finding.what, "thread 0 got token 4 of key 1 after token 5");
}

TEST(Supervisor, ACallThatDoesNotReturnIsEnded) {
  const SharedBoard board;
  EXPECT_FALSE(watched(board, [&] {
    put(board->phase, Board::kChecking);
    for (;;) pause();
  }));
  EXPECT_EQ(finding_on(*board, {}).oracle, Oracle::kProgress);
}

TEST(Supervisor, AKeyThatWaitsForAnotherIsNamed) {
  const SharedBoard board;
  EXPECT_FALSE(watched(board, [&] {
    put(board->phase, Board::kIndependence);
    put(board->held_key, 3);
    put(board->asked_key, 1);
    for (;;) pause();
  }));
  const Finding finding = finding_on(*board, {});
  EXPECT_EQ(finding.oracle, Oracle::kIndependence);
  EXPECT_THAT(finding.what, HasSubstr("while key 3 is held, key 1 cannot be had"));
}

}  // namespace
}  // namespace lockbench::stress::real
