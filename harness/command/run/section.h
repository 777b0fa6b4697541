// SPDX-License-Identifier: Apache-2.0

// Section: one table of what a command says at its end, for people and for programs alike.
//
// A command makes a list of sections; the four forms below are made of that list alone, so that a
// table that is added is there in all of them. Pure: width and colour are told, not asked for.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockbench {

struct SectionColumn {
  enum class Kind { kText, kFigure };

  std::string name;     // for programs: `speed_low`; empty: for people alone
  std::string heading;  // for people; empty where the name stands: for programs alone
  Kind kind = Kind::kText;
  // Where lines are short, the column with the highest goes first; 0 stays, shortened if need be.
  int expendable = 0;
};

struct SectionEntry {
  std::string text;   // for people
  std::string value;  // for programs; a figure in full, or empty for none
};

struct SectionRow {
  std::vector<SectionEntry> entries;  // one for each column
  std::optional<double> bar;          // its length, 0 to 1; absent: none is drawn
  bool best = false;                  // stands out where there is colour
};

// One without columns is words alone, and for people alone.
struct Section {
  std::string name;   // for programs: what kind of table this is
  std::string title;  // for people, one line
  std::vector<SectionColumn> columns;
  std::vector<SectionRow> rows;
  std::vector<std::string> notes;  // for people, below the table, one line each
  bool telling = true;             // else left out where people read: there are more telling ones
};

enum class SectionFormat { kText, kJson, kCsv, kMarkdown };

// `text`, `json`, `csv` or `markdown`.
std::optional<SectionFormat> parse_section_format(std::string_view text);

struct TextStyle {
  std::size_t columns = 80;
  bool colour = false;
};

// Titles, tables that fit the width, bars and notes, of the telling ones. Ends in a line break
// unless it is empty.
std::string sections_text(std::span<const Section> sections, const TextStyle& style);

// The telling ones as headings and tables.
std::string sections_markdown(std::span<const Section> sections);

// All sections, as an array of {"section": name, "title": title, "rows": [{column: value, …}, …]};
// a figure is a number, or null where there is none.
std::string sections_json(std::span<const Section> sections);

// All sections as one table: the columns of all, in the order in which they first appear, after
// `section` and `title`.
std::string sections_csv(std::span<const Section> sections);

// Whether the column is for people, and some row has something for them in it.
bool seen_by_people(const Section& section, std::size_t column);

// What `text` takes on a terminal, in columns: letters of one column each.
std::size_t display_width(const std::string& text);

// `text` in at most `width` columns; what is cut ends in `…`.
std::string cut_to_width(const std::string& text, std::size_t width);

}  // namespace lockbench
