// SPDX-License-Identifier: Apache-2.0

#include "harness/command/run/closing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/command/standings.h"

namespace lockbench {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

SmallRun example() {
  SmallRun run;
  run.add("global:lock=std", {1e6, 1e6, 1e6, 1e6, 1e6});
  run.add("keyed", {4e6, 4e6, 4e6, 4e6, 4.4e6});
  return run;
}

RunClosing closing_of(const SmallRun& run) {
  return {.folder = "out",
          .program = "lockbench",
          .tally = {},
          .sections = closing_sections(run.plan, run.measurements)};
}

std::string text_of(const SmallRun& run) {
  return closing_words(closing_of(run), SectionFormat::kText, {}).out;
}

TEST(Closing, SaysWhoIsFastestByHowMuchAndHowSurely) {
  EXPECT_EQ(text_of(example()),
            "Measured out: 0 trials, all valid\n"
            "\n"
            "counter, 8 threads, 64 keys\n"
            "  primitive                                  rate     ratio   interval\n"
            "  keyed            ████████████████████  4.00 M/s     4.00×  4.00–4.40\n"
            "  global:lock=std  █████                 1.00 M/s  baseline  1.00–1.00\n"
            "\n"
            "How to read it\n"
            "  interval: of the ratio of speeds, block by block; of a baseline, of its own\n"
            "    median; covers it with 94 %, however figures are spread\n"
            "\n"
            "Next: lockbench report out    one page\n"
            "      lockbench plot out      pictures\n"
            "      lockbench compare out   a table\n");
}

TEST(Closing, ExplainsEachMarkThatIsThere) {
  SmallRun run = example();
  run.add("striped", {5e6, 5e6, 3e6, 5e6, 5e6});
  for (Measurement& m : run.measurements) m.wait_max_ns = 30e6;
  const std::string text = text_of(run);
  EXPECT_THAT(text, HasSubstr("  keyed ≈"));
  EXPECT_THAT(text, HasSubstr("≈ not told apart from the first"));
  EXPECT_THAT(text, HasSubstr("30.0 ms !"));
  EXPECT_THAT(text, HasSubstr("  ! striped: one wait took 30.0 ms\n"));
  EXPECT_THAT(text, HasSubstr("! speed at the price of threads that starve"));
}

TEST(Closing, SaysHowManyBlocksCameToNothing) {
  SmallRun run = example();
  run.add("striped", {5e6, 0, 5e6, 0, 5e6});
  run.add("none", {0, 0});
  EXPECT_THAT(text_of(run), HasSubstr("  striped: 3 of 5 blocks valid\n"));
  EXPECT_THAT(text_of(run), HasSubstr("not valid"));
}

TEST(Closing, SaysThatOneBlockTellsNothingOfTheSpread) {
  SmallRun run;
  run.add("keyed", {1e6});
  EXPECT_THAT(text_of(run), HasSubstr("--blocks 6"));
  EXPECT_THAT(text_of(run), Not(HasSubstr("interval:")));
}

TEST(Closing, SaysHowManyGroupsAreLeftOutAndWhereTheyAre) {
  SmallRun run;
  for (std::uint32_t threads = 1; threads <= 40; ++threads) {
    run.add("keyed", {1e6}, {.workload = {"counter", ""}, .threads = threads});
  }
  const RunClosing closing = closing_of(run);
  EXPECT_THAT(sections_text(closing.sections, {.columns = 200}),
              HasSubstr("the 12 most telling of 40 groups of cells; compare and report have all"));
  EXPECT_EQ(nlohmann::json::parse(sections_json(closing.sections)).size(), 40u);
}

TEST(Closing, OfARunWithoutARowHasNoTables) {
  EXPECT_EQ(text_of({}).substr(0, 40), "Measured out: 0 trials, all valid\nNext: ");
}

TEST(Closing, LeavesStandardOutputToTheFormatAskedFor) {
  const RunClosing closing = closing_of(example());
  const ClosingWords json = closing_words(closing, SectionFormat::kJson, {});
  EXPECT_THAT(json.err, StartsWith("Measured out: "));
  const auto whole = nlohmann::json::parse(json.out);
  EXPECT_EQ(whole["run"], "out");
  const auto keyed = whole["sections"][0]["rows"][0];
  EXPECT_EQ(keyed["primitive"], "keyed");
  EXPECT_EQ(keyed["median"], 4e6);
  EXPECT_EQ(keyed["ratio"], 4);
  EXPECT_EQ(keyed["ratio_high"], 4.4);
  EXPECT_EQ(keyed["confidence"], 0.9375);
  EXPECT_TRUE(keyed["longest_wait_ns"].is_null());
  EXPECT_THAT(closing_words(closing, SectionFormat::kCsv, {}).out, StartsWith("section,title,"));
  EXPECT_THAT(closing_words(closing, SectionFormat::kMarkdown, {}).out, StartsWith("### counter"));
  EXPECT_THAT(closing_words(closing, SectionFormat::kText, {}).err, IsEmpty());
}

}  // namespace
}  // namespace lockbench
