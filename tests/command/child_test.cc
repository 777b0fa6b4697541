// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/run/child.h"

#include <csignal>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/bench/measure/pinning.h"
#include "harness/bench/record/sample_json.h"
#include "tests/base/temporary_folder.h"

namespace lockbench {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Shell scripts stand in for the trial's process.
class ChildTest : public testing::Test {
 protected:
  ChildTest() { std::signal(SIGPIPE, SIG_IGN); }

  absl::StatusOr<Sample> measure(const std::string& script, Nanoseconds grace = kGrace,
                                 const std::string& pinning = "none") {
    const std::filesystem::path program = folder_.path() / "program";
    write_text(program, "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    const Cell cell{.pinning = pinning, .time_limit = milliseconds(1)};
    return measure_in_child(program, {.cell = cell}, grace);
  }

  TemporaryFolder folder_;
};

TEST_F(ChildTest, GivesTheSampleThatTheChildPrints) {
  const Sample sample{.operations = 42, .lost_updates = 0, .violations = 0};
  const auto measured = measure("cat >/dev/null; echo '" + sample_text(sample) + "'").value();
  EXPECT_EQ(sample_text(measured), sample_text(sample));
}

TEST_F(ChildTest, TellsTheChildWhoItsParentIs) {
  const auto measured = measure("echo \"$*\" >&2; test \"$3\" = $PPID && exit 5").value();
  EXPECT_THAT(measured.reason, AllOf(HasSubstr("trial --parent"), HasSubstr("exit code 5")));
}

TEST_F(ChildTest, TellsTheChildWhereItsThreadsRun) {
  const std::string first = std::to_string(allowed_processors().front().number);
  const auto measured = measure("echo \"$*\" >&2; exit 5", kGrace, "one-core").value();
  EXPECT_THAT(measured.reason, HasSubstr(" --processors " + first));
  const auto unbound = measure("echo \"$*\" >&2; exit 5").value();
  EXPECT_THAT(unbound.reason, Not(HasSubstr("--processors")));
}

TEST_F(ChildTest, NamesTheSignalOfACrash) {
  const auto measured = measure("kill -SEGV $$").value();
  EXPECT_EQ(measured.outcome, Outcome::kCrashed);
  EXPECT_THAT(measured.reason, HasSubstr("signal 11 (Segmentation fault"));
}

TEST_F(ChildTest, GivesTheExitCodeAndTheLastWordsOfAFailure) {
  const auto measured = measure("echo first >&2; echo 'no such thing' >&2; exit 3").value();
  EXPECT_EQ(measured.outcome, Outcome::kCrashed);
  EXPECT_THAT(measured.reason, AllOf(HasSubstr("exit code 3"), HasSubstr(": no such thing")));
}

TEST_F(ChildTest, CallsAChildThatPrintsNonsenseCrashed) {
  const auto measured = measure("echo '{\"outcome\":'").value();
  EXPECT_EQ(measured.outcome, Outcome::kCrashed);
  EXPECT_THAT(measured.reason, HasSubstr("printed no sample: sample: not JSON"));
}

TEST_F(ChildTest, KillsAChildThatOutlivesItsLimitAndWhateverItStarted) {
  // The inner shell keeps the outputs open: only its death lets this test end before it does.
  const auto measured =
      measure("sh -c 'trap \"\" TERM; sleep 300' & sleep 300", milliseconds(50)).value();
  EXPECT_EQ(measured.outcome, Outcome::kTimeout);
}

TEST_F(ChildTest, SaysThatAProgramCannotBeStarted) {
  const auto measured = measure_in_child(folder_.path() / "nothing", {});
  EXPECT_TRUE(absl::IsInternal(measured.status()));
  EXPECT_THAT(std::string(measured.status().message()), HasSubstr("No such file"));
}

}  // namespace
}  // namespace lockbench
