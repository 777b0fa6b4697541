// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>
#include <utility>

#include "harness/command/run/section.h"

namespace lockbench {
namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kGap = 2;
constexpr std::size_t kLongestBar = 20;
constexpr std::size_t kShortestBar = 5;    // below, it tells nothing
constexpr std::size_t kShortestText = 12;  // to which the first column may be cut

constexpr const char* kBold = "\x1b[1m";
constexpr const char* kFaint = "\x1b[2m";
constexpr const char* kBarColour = "\x1b[36m";
constexpr const char* kPlain = "\x1b[0m";

// A byte that goes on with a letter of UTF-8.
bool continues_letter(char c) {
  return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u;
}

std::string coloured(const std::string& text, const char* colour, const TextStyle& style) {
  return style.colour && !text.empty() ? colour + text + kPlain : text;
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::size_t own = display_width(text);
  const std::string blanks(width > own ? width - own : 0, ' ');
  return right ? blanks + text : text + blanks;
}

// Eighths of a column, so that a bar of ten columns tells 80 lengths apart.
std::string bar_of(double share, std::size_t width) {
  static const char* const kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths =
      static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * 8 * width));
  std::string bar;
  for (std::size_t i = 0; i < eighths / 8; ++i) bar += "█";
  return bar + kEighths[eighths % 8];
}

// The columns that people see at a width, and how wide each is.
struct Layout {
  std::vector<std::size_t> shown;   // places of columns
  std::vector<std::size_t> widths;  // of each of these
  std::size_t bar = 0;              // 0: none
};

std::size_t line_width(const Layout& layout) {
  return std::accumulate(layout.widths.begin(), layout.widths.end(), kIndent) +
         kGap * (layout.widths.empty() ? 0 : layout.widths.size() - 1);
}

std::size_t natural_width(const Section& section, std::size_t column) {
  std::size_t width = display_width(section.columns[column].heading);
  for (const SectionRow& row : section.rows) {
    width = std::max(width, display_width(row.entries[column].text));
  }
  return width;
}

Layout natural_layout(const Section& section) {
  Layout layout;
  for (std::size_t i = 0; i < section.columns.size(); ++i) {
    if (!seen_by_people(section, i)) continue;
    layout.shown.push_back(i);
    layout.widths.push_back(natural_width(section, i));
  }
  return layout;
}

// Takes away the most expendable column; false where all that are left have to stay.
bool drop_one(const Section& section, Layout& layout) {
  const auto expendable = [&](std::size_t a, std::size_t b) {
    return section.columns[a].expendable < section.columns[b].expendable;
  };
  const auto most = std::max_element(layout.shown.begin(), layout.shown.end(), expendable);
  if (most == layout.shown.end() || section.columns[*most].expendable == 0) return false;
  layout.widths.erase(layout.widths.begin() + (most - layout.shown.begin()));
  layout.shown.erase(most);
  return true;
}

Layout fitted(const Section& section, std::size_t columns) {
  Layout layout = natural_layout(section);
  while (line_width(layout) > columns && drop_one(section, layout)) {
  }
  const std::size_t width = line_width(layout);
  if (width > columns && !layout.widths.empty() && layout.widths[0] > kShortestText) {
    layout.widths[0] -= std::min(width - columns, layout.widths[0] - kShortestText);
  }
  const bool bars = std::any_of(section.rows.begin(), section.rows.end(),
                                [](const SectionRow& row) { return row.bar.has_value(); });
  if (bars && width + kGap + kShortestBar <= columns) {
    layout.bar = std::min(kLongestBar, columns - width - kGap);
  }
  return layout;
}

// A line of the table: `text_of` gives what stands in a column.
template <class TextOf>
std::string table_line(const Section& section, const Layout& layout, const std::string& bar,
                       const TextStyle& style, TextOf text_of) {
  std::string line(kIndent, ' ');
  for (std::size_t i = 0; i < layout.shown.size(); ++i) {
    if (i > 0) line += std::string(kGap, ' ');
    const SectionColumn& column = section.columns[layout.shown[i]];
    const std::string text = cut_to_width(text_of(layout.shown[i]), layout.widths[i]);
    line += padded(text, layout.widths[i], column.kind == SectionColumn::Kind::kFigure);
    if (i == 0 && layout.bar > 0) {
      const std::string blanks(layout.bar - display_width(bar), ' ');
      line += std::string(kGap, ' ') + coloured(bar, kBarColour, style) + blanks;
    }
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string row_line(const Section& section, const Layout& layout, const SectionRow& row,
                     const TextStyle& style) {
  const std::string bar = row.bar && layout.bar > 0 ? bar_of(*row.bar, layout.bar) : "";
  // Colours do not nest: a row that stands out has its bar in the row's.
  const TextStyle inner{.columns = style.columns, .colour = style.colour && !row.best};
  const std::string line = table_line(section, layout, bar, inner,
                                      [&row](std::size_t i) { return row.entries[i].text; });
  if (layout.bar > 0) return row.best ? coloured(line, kBold, style) : line;
  // Where not even the columns that stay fit, the line's end goes.
  const std::string cut = cut_to_width(line, style.columns);
  return row.best ? coloured(cut, kBold, style) : cut;
}

// Broken between words; each further line stands two blanks further in than the first.
std::string wrapped(const std::string& text, std::size_t columns, std::size_t indent) {
  std::string lines(indent, ' ');
  std::size_t used = indent;
  bool begins = true;
  std::istringstream words(text);
  for (std::string word; words >> word; begins = false) {
    const std::size_t width = display_width(word);
    if (!begins && used + 1 + width > columns) {
      lines += '\n' + std::string(indent + kIndent, ' ') + word;
      used = indent + kIndent + width;
      continue;
    }
    lines += (begins ? "" : " ") + word;
    used += width + (begins ? 0 : 1);
  }
  return lines;
}

std::string text_of(const Section& section, const TextStyle& style) {
  std::string text = coloured(wrapped(section.title, style.columns, 0), kBold, style) + '\n';
  const Layout layout = fitted(section, style.columns);
  if (!layout.shown.empty()) {
    const std::string headings =
        table_line(section, layout, "", {.columns = style.columns},
                   [&section](std::size_t i) { return section.columns[i].heading; });
    text += coloured(cut_to_width(headings, style.columns), kFaint, style) + '\n';
    for (const SectionRow& row : section.rows) {
      text += row_line(section, layout, row, style) + '\n';
    }
  }
  for (const std::string& note : section.notes)
    text += wrapped(note, style.columns, kIndent) + '\n';
  return text;
}

}  // namespace

std::size_t display_width(const std::string& text) {
  return text.size() -
         static_cast<std::size_t>(std::count_if(text.begin(), text.end(), continues_letter));
}

std::string cut_to_width(const std::string& text, std::size_t width) {
  if (display_width(text) <= width) return text;
  if (width == 0) return {};
  std::size_t end = 0;
  for (std::size_t letters = 0; letters < width - 1; ++letters) {
    ++end;
    while (end < text.size() && continues_letter(text[end])) ++end;
  }
  return text.substr(0, end) + "…";
}

bool seen_by_people(const Section& section, std::size_t column) {
  if (section.columns[column].heading.empty()) return false;
  return std::any_of(section.rows.begin(), section.rows.end(),
                     [column](const SectionRow& row) { return !row.entries[column].text.empty(); });
}

std::string sections_text(std::span<const Section> sections, const TextStyle& style) {
  std::string text;
  for (const Section& section : sections) {
    if (!section.telling) continue;
    if (!text.empty()) text += '\n';
    text += text_of(section, style);
  }
  return text;
}

}  // namespace lockbench
