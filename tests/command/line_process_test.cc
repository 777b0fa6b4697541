// SPDX-License-Identifier: Apache-2.0

#include "harness/process/line_process.h"

#include <chrono>
#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/process/child_process.h"
#include "harness/process/orphans.h"

namespace lockbench {
namespace {

constexpr std::chrono::seconds kLong{60};

LineProcess shell(const std::string& script) {
  std::signal(SIGPIPE, SIG_IGN);
  absl::StatusOr<LineProcess> made = LineProcess::start({"sh", "-c", script});
  EXPECT_TRUE(made.ok()) << made.status();
  return *std::move(made);
}

TEST(LineProcess, AnswersOneLineForEachLine) {
  LineProcess counter = shell("i=0; while read -r _; do i=$((i + 1)); echo \"answer $i\"; done");
  EXPECT_EQ(*counter.ask(kLong), "answer 1");
  EXPECT_EQ(*counter.ask(kLong), "answer 2");
}

TEST(LineProcess, AsksAProgramThatPrintsSeveralLinesAtOnce) {
  LineProcess eager = shell("printf 'one\\ntwo\\n'; cat >/dev/null");
  EXPECT_EQ(*eager.ask(kLong), "one");
  EXPECT_EQ(*eager.ask(kLong), "two");
}

TEST(LineProcess, SaysThatTheProgramHasEnded) {
  LineProcess ended = shell("read -r _");
  EXPECT_TRUE(absl::IsUnavailable(ended.ask(kLong).status()));
}

TEST(LineProcess, ReturnsAtItsDeadline) {
  LineProcess silent = shell("cat >/dev/null");
  EXPECT_TRUE(absl::IsDeadlineExceeded(silent.ask(std::chrono::milliseconds(1)).status()));
}

TEST(LineProcess, RefusesAnEndlessLine) {
  LineProcess endless = shell("tr '\\0' x </dev/zero");
  EXPECT_TRUE(absl::IsUnavailable(endless.ask(kLong).status()));
}

// A run asks its follower between trials, each of which is a child that ends with its orphans.
TEST(LineProcess, OutlivesOtherChildrenOfThisProcess) {
  adopt_orphans();  // children that are there before this are left alone anyway
  LineProcess counter = shell("while read -r _; do echo here; done");
  const absl::StatusOr<ChildResult> other =
      run_child({.program = "true",
                 .words = {"true"},
                 .input = {},
                 .deadline = std::chrono::steady_clock::now() + kLong});
  EXPECT_TRUE(other.ok()) << other.status();
  const absl::StatusOr<std::string> answer = counter.ask(kLong);
  EXPECT_TRUE(answer.ok()) << answer.status();
}

TEST(LineProcess, SaysThatThereIsNoSuchProgram) {
  const auto made = LineProcess::start({"/no/such/program"});
  EXPECT_TRUE(absl::IsInternal(made.status()));
  EXPECT_THAT(std::string(made.status().message()), testing::HasSubstr("/no/such/program"));
}

}  // namespace
}  // namespace lockbench
