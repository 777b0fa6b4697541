// SPDX-License-Identifier: Apache-2.0

#include "harness/process/child_process.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockbench {
namespace {

using std::chrono::steady_clock;

// Shell scripts stand in for the child.
class RunChildTest : public testing::Test {
 protected:
  RunChildTest() { std::signal(SIGPIPE, SIG_IGN); }

  static ChildOrder order_for(const std::string& script) {
    return {.program = "/bin/sh",
            .words = {"sh", "-c", script},
            .input = {},
            .deadline = steady_clock::now() + std::chrono::minutes(1)};
  }

  // Killed when it has printed a line.
  static ChildResult killed_after_a_line(const std::string& script) {
    ChildOrder order = order_for(script);
    order.while_it_runs = [&order](std::string_view out) {
      if (out.find('\n') != std::string_view::npos) order.deadline = steady_clock::now();
    };
    return run_child(order).value();
  }

  static std::filesystem::path line_in(const ChildResult& result) {
    return result.out.substr(0, result.out.find('\n'));
  }
};

TEST_F(RunChildTest, GivesTheChildAPlaceForItsFilesAndTakesItAwayAfterwards) {
  const ChildResult result =
      run_child(order_for("echo held >\"$TMPDIR/lock\" && echo \"$TMPDIR\"; kill -SEGV $$"))
          .value();
  EXPECT_EQ(result.ending, ChildEnding::kEnded);
  const std::filesystem::path place = line_in(result);
  EXPECT_EQ(place.parent_path(), std::filesystem::temp_directory_path());
  EXPECT_FALSE(std::filesystem::exists(place)) << place;
}

// Those that it started go on making files until they are gone.
TEST_F(RunChildTest, LeavesNothingOfAChildThatIsKilledAndOfThoseThatItStarted) {
  const ChildResult result = killed_after_a_line(
      "for who in a b c d e f g h; do"
      "  sh -c 'i=0; while :; do i=$((i + 1)); mkdir \"$TMPDIR/$0$i\"; done' $who & "
      "done; while [ ! -d \"$TMPDIR/h9\" ]; do :; done; echo \"$TMPDIR\"; wait");
  EXPECT_EQ(result.ending, ChildEnding::kTooLong);
  const std::filesystem::path place = line_in(result);
  EXPECT_TRUE(place.is_absolute()) << place;
  EXPECT_FALSE(std::filesystem::exists(place)) << place;
}

TEST_F(RunChildTest, DoesNotWaitForOneWhoLeftTheGroupAndKeepsTheOutputOpen) {
  const ChildResult result =
      killed_after_a_line("setsid sh -c 'echo $$; exec sleep 300' & sleep 300");
  EXPECT_EQ(result.ending, ChildEnding::kTooLong);
  EXPECT_EQ(kill(std::stoi(line_in(result)), SIGKILL), 0);
}

TEST_F(RunChildTest, GoesOnWhereNoPlaceCanBeMade) {
  const char* usual = std::getenv("TMPDIR");
  const std::string before = usual == nullptr ? "" : usual;
  setenv("TMPDIR", "/proc", 1);
  const ChildResult result = run_child(order_for("echo \"$TMPDIR\"")).value();
  usual == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", before.c_str(), 1);
  EXPECT_EQ(result.out, "/proc\n");
}

}  // namespace
}  // namespace lockbench
