// SPDX-License-Identifier: Apache-2.0

// Side by side: published figures and measured ones; and that the shipped ones speak of what their
// presets measure.
#include "harness/command/run/side_by_side.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/plan/expand.h"
#include "harness/plan/preset_file.h"
#include "harness/record/schema.h"

namespace lockbench {
namespace {

using ::testing::HasSubstr;

constexpr char kPublished[] = R"(
source = "an article"
note = "A note."
columns = ["there", "ideal"]
[[measured]]
title = "here"
[[row]]
title = "one lock"
published = ["2.1 s", "2 s"]
figure = "makespan_s"
unit = "s"
where = {primitive = "global"}
[[row]]
title = "saved"
published = ["71.1 %", "75 %"]
figure = "makespan_s"
unit = "% saved"
where = {primitive = "striped:stripes=4"}
against = "global"
[[row]]
title = "lost"
published = ["15", "0"]
figure = "lost_updates"
where = {primitive = "none"}
[[row]]
title = "time without a lock"
published = ["0.1 s", "0.1 s"]
figure = "makespan_s"
unit = "s"
where = {primitive = "none"}
[[row]]
title = "nested"
published = ["served", "stuck"]
figure = "outcome"
where = {primitive = "lease"}
)";

constexpr char kHeader[] = "primitive,params,valid,outcome,makespan_s,lost_updates,violations\n";

MeasuredRows rows(const std::string& lines) {
  return MeasuredRows(parse_csv(kHeader + lines, "trials.csv").value());
}

// One line a row, its entries apart by bars; empty without a table.
std::string table_of(const std::string& lines) {
  const auto table = side_by_side(parse_published(kPublished, "p.toml").value(), rows(lines));
  if (!table) return "";
  EXPECT_EQ(table->title, "Published (an article) and measured here");
  EXPECT_THAT(table->notes, ::testing::ElementsAre("A note."));
  std::string text;
  for (const SectionRow& row : table->rows) {
    EXPECT_EQ(row.entries.size(), table->columns.size());
    for (const SectionEntry& entry : row.entries) text += entry.text + " | ";
    text += '\n';
  }
  return text;
}

TEST(SideBySide, ShowsTheMedianOfValidRows) {
  const std::string table = table_of(
      "global,,true,ok,2.0,0,0\nglobal,,true,ok,2.2,0,0\nglobal,,true,ok,2.1,0,0\n"
      "global,,false,ok,90,1,0\n");
  EXPECT_THAT(table, HasSubstr("one lock | 2.1 s | 2 s | 2.100 s |"));
}

TEST(SideBySide, ComparesWithAnotherPrimitive) {
  EXPECT_THAT(table_of("global,,true,ok,2.1,0,0\nstriped,stripes=4,true,ok,0.63,0,0\n"),
              HasSubstr("saved | 71.1 % | 75 % | 70.0 % |"));
}

TEST(SideBySide, CountsWhatWentWrongOfRowsThatAreNotValidAndShowsNoOtherFigureOfThem) {
  const std::string table = table_of("none,,false,ok,0.1,14,0\n");
  EXPECT_THAT(table, HasSubstr("lost | 15 | 0 | 14 |"));
  EXPECT_THAT(table, HasSubstr("time without a lock | 0.1 s | 0.1 s | not valid |"));
}

TEST(SideBySide, TellsHowTrialsEnded) {
  EXPECT_THAT(table_of("lease,,false,deadlock,,,\n"),
              HasSubstr("nested | served | stuck | deadlock |"));
  EXPECT_THAT(table_of("lease,,true,ok,1,0,0\n"), HasSubstr("nested | served | stuck | ok |"));
  EXPECT_THAT(table_of("lease,,false,ok,1,0,3\n"),
              HasSubstr("nested | served | stuck | not valid |"));
  EXPECT_THAT(table_of("lease,,true,ok,1,0,0\nlease,,false,deadlock,,,\n"),
              HasSubstr("nested | served | stuck | deadlock, ok |"));
}

TEST(SideBySide, IsSilentWhereNothingOfItWasMeasured) {
  EXPECT_EQ(table_of("keyed,,true,ok,1,0,0\n"), "");
  EXPECT_EQ(table_of(""), "");
}

TEST(Published, SaysWhereItIsWrong) {
  const auto error = [](const char* toml) {
    return std::string(parse_published(toml, "p.toml").status().message());
  };
  EXPECT_EQ(error("sorce = 'x'"), "p.toml:1:1: unknown key 'sorce'; did you mean 'source'?");
  EXPECT_THAT(error("[[row]]\nunit = 'secs'"), HasSubstr("p.toml:2:8: unknown unit 'secs'"));
  EXPECT_THAT(error("[[row]]\nunit = 'times'"), HasSubstr("go with against"));
  EXPECT_THAT(error("columns = ['a']\n[[row]]\ntitle = 't'"),
              HasSubstr("row 't' has 0 published figures"));
  EXPECT_THAT(error("source = 1"), HasSubstr("wants text in quotes"));
  EXPECT_THAT(error("row = 3"), HasSubstr("in double brackets"));
  EXPECT_THAT(error("="), HasSubstr("not TOML"));
}

std::string text_of(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Rows of a preset's plan, as if nothing had been measured yet.
MeasuredRows planned_rows(const std::string& name) {
  const auto path = std::filesystem::path(LOCKBENCH_PRESETS) / (name + ".toml");
  const Preset preset = parse_preset(text_of(path), path.string()).value();
  const Plan plan = expand(preset, [](const Cell&) { return absl::OkStatus(); }).value();
  std::string csv = csv_record(trial_header());
  for (const Trial& trial : plan.trials) csv += csv_record(trial_fields({.trial = trial}));
  return MeasuredRows(parse_csv(csv, "planned").value());
}

class ShippedPublished : public ::testing::TestWithParam<const char*> {};

TEST_P(ShippedPublished, SpeaksOfWhatItsPresetMeasures) {
  const auto path =
      std::filesystem::path(LOCKBENCH_PRESETS) / "published" / (std::string(GetParam()) + ".toml");
  const auto published = parse_published(text_of(path), path.string());
  ASSERT_TRUE(published.ok()) << published.status().message();
  EXPECT_LE(display_width("Published (" + published->source + ") and measured here"), 80u);
  const MeasuredRows planned = planned_rows(GetParam());
  for (const PublishedRow& row : published->rows) {
    SCOPED_TRACE(row.title);
    EXPECT_TRUE(planned.has_column(row.figure)) << row.figure;
    bool any = false;
    for (const PublishedColumn& column : published->measured) {
      auto where = row.where;
      where.insert(column.where.begin(), column.where.end());
      any = any || !planned.cells(where, row.figure).empty();
    }
    EXPECT_TRUE(any) << "selects no trial of the preset";
    if (row.against.empty()) continue;
    auto where = row.where;
    where["primitive"] = row.against;
    EXPECT_FALSE(planned.cells(where, row.figure).empty()) << row.against;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ShippedPublished,
                         ::testing::Values("article-21x6", "article-1000x12", "fastrlock",
                                           "watchdog", "million-users", "connection-pool",
                                           "file-counter"));

}  // namespace
}  // namespace lockbench
