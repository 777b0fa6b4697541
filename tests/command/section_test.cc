// SPDX-License-Identifier: Apache-2.0

#include "harness/command/run/section.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace lockbench {
namespace {

using testing::HasSubstr;
using testing::Not;

Section example() {
  using Kind = SectionColumn::Kind;
  return {.name = "standings",
          .title = "counter, 8 threads",
          .columns = {{.name = "primitive", .heading = "primitive"},
                      {.name = "rate", .heading = "rate", .kind = Kind::kFigure},
                      {.name = "note", .heading = "note", .expendable = 1},
                      {.name = "low", .kind = Kind::kFigure}},
          .rows = {{.entries = {{"keyed_table64", "keyed_table64"},
                                {"4.2 M", "4200000"},
                                {"µs", "x,y"},
                                {"", "0.5"}},
                    .bar = 1.0,
                    .best = true},
                   {.entries = {{"none", "none"}, {"not valid", ""}, {"", ""}, {"", ""}}}},
          .notes = {"a note"}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(SectionsText, IsATableWithItsFiguresToTheRightAndABarBetween) {
  const std::vector<Section> sections{example()};
  EXPECT_EQ(sections_text(sections, {.columns = 50}),
            "counter, 8 threads\n"
            "  primitive                             rate  note\n"
            "  keyed_table64  ████████████████      4.2 M  µs\n"
            "  none                             not valid\n"
            "  a note\n");
}

TEST(SectionsText, FitsEveryWidth) {
  const std::vector<Section> sections{example()};
  for (std::size_t columns = 20; columns < 120; ++columns) {
    for (const std::string& line : lines_of(sections_text(sections, {.columns = columns}))) {
      EXPECT_LE(display_width(line), columns) << line;
    }
  }
}

TEST(SectionsText, BreaksALongTitleAndALongNoteBetweenWords) {
  const std::vector<Section> words{{.title = "a title in words", .notes = {"and a note, too"}}};
  EXPECT_EQ(sections_text(words, {.columns = 12}),
            "a title in\n  words\n  and a\n    note,\n    too\n");
}

TEST(SectionsText, GivesUpTheBarBeforeAColumnAndThatBeforeAFigure) {
  const std::vector<Section> sections{example()};
  EXPECT_THAT(sections_text(sections, {.columns = 36}), Not(HasSubstr("█")));
  EXPECT_THAT(sections_text(sections, {.columns = 36}), HasSubstr("note"));
  EXPECT_THAT(sections_text(sections, {.columns = 28}), Not(HasSubstr("  note")));
  EXPECT_THAT(sections_text(sections, {.columns = 28}), HasSubstr("4.2 M"));
  EXPECT_THAT(sections_text(sections, {.columns = 24}), HasSubstr("keyed_table…"));
}

TEST(SectionsText, IsColouredOnlyWhereThatIsWanted) {
  const std::vector<Section> sections{example()};
  EXPECT_THAT(sections_text(sections, {.columns = 80}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(sections_text(sections, {.columns = 80, .colour = true}),
              HasSubstr("\x1b[1m  keyed_table64"));
}

TEST(SectionsText, LeavesOutWhatIsLessTelling) {
  std::vector<Section> sections{example(), example()};
  sections[0].telling = false;
  sections[0].title = "another";
  EXPECT_THAT(sections_text(sections, {}), Not(HasSubstr("another")));
  EXPECT_THAT(sections_markdown(sections), Not(HasSubstr("another")));
  EXPECT_THAT(sections_json(sections), HasSubstr("another"));
  EXPECT_THAT(sections_csv(sections), HasSubstr("another"));
}

TEST(SectionsMarkdown, EscapesWhatMarkdownWouldTakeForItsOwn) {
  const std::vector<Section> sections{example()};
  EXPECT_EQ(sections_markdown(sections),
            "### counter, 8 threads\n\n"
            "| primitive | rate | note |\n"
            "| --- | ---: | --- |\n"
            "| **keyed\\_table64** | 4.2 M | µs |\n"
            "| none | not valid |  |\n\n"
            "- a note\n");
}

TEST(SectionsJson, HasFiguresAsNumbersAndNullForNone) {
  const std::vector<Section> sections{example(), {.title = "words alone", .notes = {"a"}}};
  const auto json = nlohmann::json::parse(sections_json(sections));
  ASSERT_EQ(json.size(), 1u);
  EXPECT_EQ(json[0]["section"], "standings");
  EXPECT_EQ(json[0]["rows"][0]["rate"], 4200000);
  EXPECT_EQ(json[0]["rows"][0]["low"], 0.5);
  EXPECT_TRUE(json[0]["rows"][1]["rate"].is_null());
  EXPECT_EQ(json[0]["rows"][1]["primitive"], "none");
}

TEST(SectionsCsv, IsOneTableWithTheColumnsOfAll) {
  std::vector<Section> sections{example(), example()};
  sections[1].columns[1].name = "published";
  EXPECT_EQ(lines_of(sections_csv(sections)).at(0),
            "section,title,primitive,rate,note,low,published");
  EXPECT_EQ(lines_of(sections_csv(sections)).at(1),
            "standings,\"counter, 8 threads\",keyed_table64,4200000,\"x,y\",0.5,");
  EXPECT_EQ(lines_of(sections_csv(sections)).at(3),
            "standings,\"counter, 8 threads\",keyed_table64,,\"x,y\",0.5,4200000");
}

TEST(CutToWidth, CutsBetweenLetters) {
  EXPECT_EQ(cut_to_width("µµµ", 3), "µµµ");
  EXPECT_EQ(cut_to_width("µµµµ", 3), "µµ…");
  EXPECT_EQ(cut_to_width("abc", 0), "");
}

TEST(ParseSectionFormat, KnowsItsFourAndNoOther) {
  EXPECT_EQ(parse_section_format("text"), SectionFormat::kText);
  EXPECT_EQ(parse_section_format("json"), SectionFormat::kJson);
  EXPECT_EQ(parse_section_format("csv"), SectionFormat::kCsv);
  EXPECT_EQ(parse_section_format("markdown"), SectionFormat::kMarkdown);
  EXPECT_EQ(parse_section_format("html"), std::nullopt);
}

}  // namespace
}  // namespace lockbench
