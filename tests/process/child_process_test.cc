// SPDX-License-Identifier: Apache-2.0

#include "harness/process/child_process.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/process/orphans.h"

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

  static bool is_running(pid_t pid) { return kill(pid, 0) == 0; }

  static std::filesystem::path line_in(const ChildResult& result) {
    return result.out.substr(0, result.out.find('\n'));
  }
};

TEST_F(RunChildTest, GivesTheChildAFolderForItsFilesAndTakesItAwayAfterwards) {
  const ChildResult result =
      run_child(order_for("echo held >\"$TMPDIR/lock\" && echo \"$TMPDIR\"; kill -SEGV $$"))
          .value();
  EXPECT_EQ(result.ending, ChildEnding::kEnded);
  const std::filesystem::path folder = line_in(result);
  EXPECT_EQ(folder.parent_path().parent_path(), std::filesystem::temp_directory_path());
  EXPECT_FALSE(std::filesystem::exists(folder)) << folder;
}

// Those that it started go on making files until they are gone.
TEST_F(RunChildTest, LeavesNothingOfAChildThatIsKilledAndOfThoseThatItStarted) {
  const ChildResult result = killed_after_a_line(
      "for who in a b c d e f g h; do"
      "  sh -c 'i=0; while :; do i=$((i + 1)); mkdir \"$TMPDIR/$0$i\"; done' $who & "
      "done; while [ ! -d \"$TMPDIR/h9\" ]; do :; done; echo \"$TMPDIR\"; wait");
  EXPECT_EQ(result.ending, ChildEnding::kTooLong);
  const std::filesystem::path folder = line_in(result);
  EXPECT_TRUE(folder.is_absolute()) << folder;
  EXPECT_FALSE(std::filesystem::exists(folder)) << folder;
}

TEST_F(RunChildTest, EndsAChildThatClosedItsOutputsAtItsDeadline) {
  ChildOrder order = order_for("exec >&- 2>&-; while :; do sleep 300; done");
  order.deadline = steady_clock::now() + std::chrono::milliseconds(50);
  const ChildResult result = run_child(order).value();
  EXPECT_EQ(result.ending, ChildEnding::kTooLong);
  EXPECT_TRUE(WIFSIGNALED(result.status));
}

TEST_F(RunChildTest, EndsAChildThatIgnoresSignalsAndLeftItsGroup) {
  // A new session has a group of its own.
  const ChildResult result = killed_after_a_line(
      "exec setsid -w sh -c 'trap \"\" HUP INT TERM; echo $$; while :; do sleep 300; done'");
  EXPECT_EQ(result.ending, ChildEnding::kTooLong);
  EXPECT_FALSE(is_running(std::stoi(line_in(result))));
}

TEST_F(RunChildTest, EndsThoseWhoLeftTheGroupAndKeepTheOutputOpen) {
  const ChildResult result =
      killed_after_a_line("setsid sh -c 'echo $$; exec sleep 300' & sleep 300");
  EXPECT_EQ(result.ending, ChildEnding::kTooLong);
  EXPECT_FALSE(is_running(std::stoi(line_in(result))));
}

// The child is gone, and the one that it left behind holds the outputs.
TEST_F(RunChildTest, EndsThoseWhoOutliveAChildThatEndsByItself) {
  const ChildResult result = run_child(order_for("setsid sleep 300 & echo $!")).value();
  EXPECT_EQ(result.ending, ChildEnding::kEnded);
  EXPECT_EQ(result.status, 0);
  EXPECT_FALSE(is_running(std::stoi(line_in(result))));
}

TEST_F(RunChildTest, LeavesOtherChildrenOfThisProcessAlone) {
  const pid_t other = fork();
  if (other == 0) {
    pause();
    _exit(0);
  }
  const ChildGuard guard(other);
  EXPECT_EQ(run_child(order_for("exit 3")).value().status, 3 << 8);
  EXPECT_TRUE(is_running(other));
  kill(other, SIGKILL);
  EXPECT_EQ(waitpid(other, nullptr, 0), other);
}

TEST_F(RunChildTest, KeepsWhatAChildPrintedBeforeItEnded) {
  const ChildResult result = run_child(order_for("echo out; echo err >&2; kill -KILL $$")).value();
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
  EXPECT_EQ(end_text("it", result), "it was ended by signal 9 (Killed): err");
}

TEST_F(RunChildTest, EndsAChildThatPrintsTooMuch) {
  const ChildResult result = run_child(order_for("cat /dev/zero")).value();
  EXPECT_EQ(result.ending, ChildEnding::kTooMuch);
  EXPECT_EQ(result.out.size(), kMostOutBytes);
  EXPECT_EQ(end_text("it", result), "it printed more than 16 MiB and was killed");
}

TEST_F(RunChildTest, KeepsTheBeginningOfAFloodOfErrors) {
  const ChildResult result =
      run_child(order_for("head -c 9999999 /dev/zero | tr '\\0' x >&2; exit 4")).value();
  EXPECT_EQ(result.ending, ChildEnding::kEnded);
  EXPECT_EQ(result.err.size(), kMostErrBytes);
  EXPECT_EQ(end_text("it", result), "it ended without a result, with exit code 4: " +
                                        std::string(1000, 'x') + " … 9,998,999 bytes more");
}

TEST_F(RunChildTest, FeedsMoreThanAPipeHoldsToAChildThatReadsSlowlyOrNot) {
  ChildOrder order = order_for("sed -n '$='");
  for (int i = 0; i < 100'000; ++i) order.input += "line\n";
  EXPECT_EQ(run_child(order).value().out, "100000\n");
  order.words[2] = "exit 5";
  EXPECT_EQ(run_child(order).value().status, 5 << 8);
}

TEST_F(RunChildTest, ToldEndIsOneLine) {
  const ChildResult result =
      run_child(order_for("printf 'a\\033[2J\\nb\\033[2J\\n' >&2; exit 1")).value();
  EXPECT_EQ(end_text("it", result), "it ended without a result, with exit code 1: b\\x1b[2J");
}

TEST_F(RunChildTest, GoesOnWhereNoFolderCanBeMade) {
  const char* usual = std::getenv("TMPDIR");
  const std::string before = usual == nullptr ? "" : usual;
  setenv("TMPDIR", "/proc", 1);
  const ChildResult result = run_child(order_for("echo \"$TMPDIR\"")).value();
  usual == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", before.c_str(), 1);
  EXPECT_EQ(result.out, "/proc\n");
}

}  // namespace
}  // namespace lockbench
