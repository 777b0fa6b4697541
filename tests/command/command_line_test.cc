// SPDX-License-Identifier: Apache-2.0

#include "harness/program/command_line.h"

#include <memory>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/bench/command/run/run_entry.h"
#include "harness/program/program.h"

namespace lockbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The options that `run` was given.
RunOptions run_options(std::vector<std::string> words) {
  words.insert(words.begin(), {"build/lockbench", "run"});
  Commands commands;
  commands.push_back(std::make_unique<RunEntry>());
  const auto read = read_command_line(commands, words);
  if (const Reply* const reply = std::get_if<Reply>(&read)) ADD_FAILURE() << reply->err;
  return static_cast<RunEntry&>(*commands.front()).options();
}

// The answer to a command line that is refused.
Reply refused(const std::vector<std::string>& words) {
  const auto read = read_command_line(contents_of_program().commands, words);
  const Reply* const reply = std::get_if<Reply>(&read);
  return reply != nullptr ? *reply : Reply{.err = "accepted"};
}

TEST(CommandLine, GivesRunItsPresetAndItsFlags) {
  const RunOptions run =
      run_options({"quick", "--blocks", "3", "--seed=7", "--threads", "1,2", "--threads", "4..8",
                   "--out", "here", "--dry-run", "--progress", "off"});
  EXPECT_EQ(run.preset, "quick");
  EXPECT_EQ(run.overrides.blocks, 3u);
  EXPECT_EQ(run.overrides.seed, 7u);
  EXPECT_THAT(run.overrides.sweep.threads, ElementsAre(1, 2, 4, 8));
  EXPECT_EQ(run.out, "here");
  EXPECT_TRUE(run.dry_run);
  EXPECT_EQ(run.progress, ProgressStyle::kOff);
}

TEST(CommandLine, TakesAPresetAfterAFlagThatMayBeGivenAgain) {
  const RunOptions run = run_options({"--primitive", "keyed", "quick"});
  EXPECT_EQ(run.preset, "quick");
  EXPECT_EQ(run.overrides.sweep.primitives.size(), 1u);
}

TEST(CommandLine, KeepsTheCommasOfAPrimitive) {
  const RunOptions run = run_options({"--primitive", "striped:lock=std,stripes=64"});
  ASSERT_EQ(run.overrides.sweep.primitives.size(), 1u);
  EXPECT_EQ(run.overrides.sweep.primitives[0].parameters.size(), 2u);
}

TEST(CommandLine, KeepsTheWordsForTheRecordAndTheProgramAsItWasCalled) {
  const RunOptions run = run_options({"quick"});
  EXPECT_THAT(run.words, ElementsAre("lockbench", "run", "quick"));
  EXPECT_EQ(run.program, "build/lockbench");
}

TEST(CommandLine, TakesAPrecisionAsPercentOrShareAndABudgetForIt) {
  EXPECT_EQ(run_options({"quick"}).precision, std::nullopt);
  const RunOptions percent = run_options({"quick", "--precision", "2%", "--budget", "90s"});
  EXPECT_EQ(percent.precision, 0.02);
  EXPECT_EQ(percent.budget, std::chrono::seconds(90));
  EXPECT_EQ(run_options({"quick", "--precision", "0.5"}).precision, 0.5);
}

TEST(CommandLine, LeavesAScriptItsArguments) {
  const Commands commands = contents_of_program().commands;
  const auto read = read_command_line(
      commands, {"lockbench", "compare", "a", "b", "--baseline", "keyed", "--help"});
  ASSERT_TRUE(std::holds_alternative<Chosen>(read));
  const Chosen& chosen = std::get<Chosen>(read);
  EXPECT_EQ(chosen.command->text().name, "compare");
  EXPECT_THAT(chosen.invocation.rest, ElementsAre("a", "b", "--baseline", "keyed", "--help"));
}

TEST(CommandLine, LetsAResumedRunBeShownAsWanted) {
  const RunOptions run = run_options({"--resume", "there", "--progress", "line"});
  EXPECT_EQ(run.resume, "there");
  EXPECT_EQ(run.progress, ProgressStyle::kLine);
}

TEST(CommandLine, TakesANameForABaselineThatCanBeThatOfAFile) {
  EXPECT_EQ(run_options({"quick", "--save-baseline", "v1.2_x-y"}).save_baseline, "v1.2_x-y");
  for (const std::string name : {"", "a/b", ".", "..", "-x", ".hidden", "a b", "\u00e4"}) {
    const Reply reply = refused({"lockbench", "run", "quick", "--save-baseline=" + name});
    EXPECT_EQ(reply.exit_code, 2) << name;
    EXPECT_THAT(reply.err, HasSubstr("--save-baseline")) << name;
  }
}

TEST(CommandLine, RefusesABaselineThatIsAShard) {
  const Reply reply = refused(
      {"lockbench", "run", "quick", "--shard", "1/2", "--out", "s", "--save-baseline", "main"});
  EXPECT_THAT(reply.err, HasSubstr("a shard is a part of one"));
}

TEST(CommandLine, SuggestsTheNearestCommand) {
  EXPECT_THAT(refused({"lockbench", "compar"}).err, HasSubstr("did you mean 'compare'?"));
  EXPECT_THAT(refused({"lockbench", "hlep"}).err, HasSubstr("did you mean 'help'?"));
}

// Two commands of one name would hide each other.
TEST(AllCommands, HaveNamesOfTheirOwnAndSayWhatTheyDo) {
  std::set<std::string> names;
  for (const std::unique_ptr<Command>& command : contents_of_program().commands) {
    EXPECT_TRUE(names.insert(command->text().name).second) << command->text().name;
    EXPECT_NE(command->text().summary, "");
  }
  EXPECT_GT(names.size(), 10U);
}

}  // namespace
}  // namespace lockbench
