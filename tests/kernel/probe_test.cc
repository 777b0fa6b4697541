// SPDX-License-Identifier: Apache-2.0

#include "harness/kernel/probe.h"

#include <csignal>
#include <stdexcept>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

namespace lockbench {
namespace {

using namespace std::chrono_literals;

TEST(Probe, ItsAnswerComesBackWhole) {
  EXPECT_EQ(answer_within(60s, [] { return "a\nb\n"; }), "a\nb\n");
  EXPECT_EQ(answer_within(60s, [] { return ""; }), "");
  const std::string more_than_a_pipe_holds(1 << 20, 'x');
  EXPECT_EQ(answer_within(60s, [&] { return more_than_a_pipe_holds; }), more_than_a_pipe_holds);
}

TEST(Probe, OneThatHangsHasNoAnswerAndIsEnded) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(answer_within(1ms,
                          []() -> std::string {
                            for (;;) pause();
                          }),
            std::nullopt);
  close(ends[1]);
  char byte;
  EXPECT_EQ(read(ends[0], &byte, 1), 0) << "the child still has the other end";
  close(ends[0]);
}

TEST(Probe, OneThatEndsWithoutAnAnswerHasNone) {
  EXPECT_EQ(answer_within(60s,
                          []() -> std::string {
                            raise(SIGKILL);
                            return "late";
                          }),
            std::nullopt);
  EXPECT_EQ(answer_within(60s, []() -> std::string { throw std::runtime_error("none"); }),
            std::nullopt);
}

}  // namespace
}  // namespace lockbench
