// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

CommandLine understood(std::vector<std::string> words) {
  words.insert(words.begin(), "build/lockbench");
  const auto read = read_command_line(words);
  if (const Reply* const reply = std::get_if<Reply>(&read)) ADD_FAILURE() << reply->err;
  return std::holds_alternative<CommandLine>(read) ? std::get<CommandLine>(read) : CommandLine{};
}

TEST(CommandLine, GivesRunItsPresetAndItsFlags) {
  const RunOptions run =
      understood({"run", "quick", "--blocks", "3", "--seed=7", "--threads", "1,2", "--threads",
                  "4..8", "--out", "here", "--dry-run", "--progress", "off"})
          .run;
  EXPECT_EQ(run.preset, "quick");
  EXPECT_EQ(run.overrides.blocks, 3u);
  EXPECT_EQ(run.overrides.seed, 7u);
  EXPECT_THAT(run.overrides.sweep.threads, ElementsAre(1, 2, 4, 8));
  EXPECT_EQ(run.out, "here");
  EXPECT_TRUE(run.dry_run);
  EXPECT_EQ(run.progress, ProgressStyle::kOff);
}

TEST(CommandLine, TakesAPresetAfterAFlagThatMayBeGivenAgain) {
  const RunOptions run = understood({"run", "--primitive", "keyed", "quick"}).run;
  EXPECT_EQ(run.preset, "quick");
  EXPECT_EQ(run.overrides.sweep.primitives.size(), 1u);
}

TEST(CommandLine, KeepsTheCommasOfAPrimitive) {
  const RunOptions run = understood({"run", "--primitive", "striped:lock=std,stripes=64"}).run;
  ASSERT_EQ(run.overrides.sweep.primitives.size(), 1u);
  EXPECT_EQ(run.overrides.sweep.primitives[0].parameters.size(), 2u);
}

TEST(CommandLine, KeepsTheWordsForTheRecordAndTheProgramAsItWasCalled) {
  const RunOptions run = understood({"run", "quick"}).run;
  EXPECT_THAT(run.words, ElementsAre("lockbench", "run", "quick"));
  EXPECT_EQ(run.program, "build/lockbench");
}

TEST(CommandLine, TakesAPrecisionAsPercentOrShareAndABudgetForIt) {
  EXPECT_EQ(understood({"run", "quick"}).run.precision, std::nullopt);
  const RunOptions percent =
      understood({"run", "quick", "--precision", "2%", "--budget", "90s"}).run;
  EXPECT_EQ(percent.precision, 0.02);
  EXPECT_EQ(percent.budget, std::chrono::seconds(90));
  EXPECT_EQ(understood({"run", "quick", "--precision", "0.5"}).run.precision, 0.5);
}

TEST(CommandLine, LeavesAScriptItsArguments) {
  const CommandLine line = understood({"compare", "a", "b", "--baseline", "keyed", "--help"});
  EXPECT_EQ(line.command, "compare");
  EXPECT_THAT(line.rest, ElementsAre("a", "b", "--baseline", "keyed", "--help"));
}

TEST(CommandLine, LetsAResumedRunBeShownAsWanted) {
  const RunOptions run = understood({"run", "--resume", "there", "--progress", "line"}).run;
  EXPECT_EQ(run.resume, "there");
  EXPECT_EQ(run.progress, ProgressStyle::kLine);
}

TEST(CommandLine, TakesANameForABaselineThatCanBeThatOfAFile) {
  EXPECT_EQ(understood({"run", "quick", "--save-baseline", "v1.2_x-y"}).run.save_baseline,
            "v1.2_x-y");
  for (const std::string name : {"", "a/b", ".", "..", "-x", ".hidden", "a b", "\u00e4"}) {
    const auto read = read_command_line({"lockbench", "run", "quick", "--save-baseline=" + name});
    ASSERT_TRUE(std::holds_alternative<Reply>(read)) << name;
    EXPECT_EQ(std::get<Reply>(read).exit_code, 2) << name;
    EXPECT_THAT(std::get<Reply>(read).err, HasSubstr("--save-baseline")) << name;
  }
}

TEST(CommandLine, RefusesABaselineThatIsAShard) {
  const auto read = read_command_line(
      {"lockbench", "run", "quick", "--shard", "1/2", "--out", "s", "--save-baseline", "main"});
  ASSERT_TRUE(std::holds_alternative<Reply>(read));
  EXPECT_THAT(std::get<Reply>(read).err, HasSubstr("a shard is a part of one"));
}

}  // namespace
}  // namespace lockbench
