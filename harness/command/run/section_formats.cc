// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <charconv>
#include <map>

#include <nlohmann/json.hpp>

#include "harness/command/run/section.h"
#include "harness/record/csv.h"

namespace lockbench {
namespace {

using Json = nlohmann::ordered_json;

// What Markdown would take for its own; a name such as keyed_table64 has some of it.
std::string escaped(const std::string& text) {
  constexpr std::string_view kOwn = "\\`*_[]<>|&#~";
  std::string safe;
  for (const char c : text) {
    if (kOwn.find(c) != std::string_view::npos) safe += '\\';
    safe += c;
  }
  return safe;
}

std::string markdown_line(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + cell + " |";
  return line + '\n';
}

std::string markdown_of(const Section& section) {
  std::string text = "### " + escaped(section.title) + "\n\n";
  std::vector<std::size_t> shown;
  std::vector<std::string> headings;
  std::vector<std::string> rules;
  for (std::size_t i = 0; i < section.columns.size(); ++i) {
    const SectionColumn& column = section.columns[i];
    if (!seen_by_people(section, i)) continue;
    shown.push_back(i);
    headings.push_back(escaped(column.heading));
    rules.push_back(column.kind == SectionColumn::Kind::kFigure ? "---:" : "---");
  }
  if (!headings.empty()) text += markdown_line(headings) + markdown_line(rules);
  for (const SectionRow& row : section.rows) {
    if (shown.empty()) break;
    std::vector<std::string> cells;
    for (const std::size_t i : shown) {
      const std::string cell = escaped(row.entries[i].text);
      cells.push_back(row.best && i == shown[0] ? "**" + cell + "**" : cell);
    }
    text += markdown_line(cells);
  }
  if (!section.notes.empty() && !headings.empty()) text += '\n';
  for (const std::string& note : section.notes) text += "- " + escaped(note) + '\n';
  return text;
}

Json json_value(const SectionColumn& column, const std::string& value) {
  if (column.kind == SectionColumn::Kind::kText) return value;
  double figure = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), figure);
  if (error != std::errc{} || end != value.data() + value.size()) return nullptr;
  return figure;
}

}  // namespace

std::optional<SectionFormat> parse_section_format(std::string_view text) {
  static const std::map<std::string_view, SectionFormat> kFormats{
      {"text", SectionFormat::kText},
      {"json", SectionFormat::kJson},
      {"csv", SectionFormat::kCsv},
      {"markdown", SectionFormat::kMarkdown}};
  const auto found = kFormats.find(text);
  if (found == kFormats.end()) return std::nullopt;
  return found->second;
}

std::string sections_markdown(std::span<const Section> sections) {
  std::string text;
  for (const Section& section : sections) {
    if (!section.telling) continue;
    if (!text.empty()) text += '\n';
    text += markdown_of(section);
  }
  return text;
}

std::string sections_json(std::span<const Section> sections) {
  Json list = Json::array();
  for (const Section& section : sections) {
    if (section.columns.empty()) continue;
    Json rows = Json::array();
    for (const SectionRow& row : section.rows) {
      Json object = Json::object();
      for (std::size_t i = 0; i < section.columns.size(); ++i) {
        const SectionColumn& column = section.columns[i];
        if (!column.name.empty()) object[column.name] = json_value(column, row.entries[i].value);
      }
      rows.push_back(std::move(object));
    }
    list.push_back(
        {{"section", section.name}, {"title", section.title}, {"rows", std::move(rows)}});
  }
  return list.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string sections_csv(std::span<const Section> sections) {
  std::vector<std::string> header{"section", "title"};
  for (const Section& section : sections) {
    for (const SectionColumn& column : section.columns) {
      if (column.name.empty()) continue;
      if (std::find(header.begin(), header.end(), column.name) == header.end()) {
        header.push_back(column.name);
      }
    }
  }
  std::string text = csv_record(header);
  for (const Section& section : sections) {
    for (const SectionRow& row : section.rows) {
      std::vector<std::string> fields(header.size());
      fields[0] = section.name;
      fields[1] = section.title;
      for (std::size_t i = 0; i < section.columns.size(); ++i) {
        const auto place = std::find(header.begin() + 2, header.end(), section.columns[i].name);
        if (place == header.end()) continue;
        fields[static_cast<std::size_t>(place - header.begin())] = row.entries[i].value;
      }
      text += csv_record(fields);
    }
  }
  return text;
}

}  // namespace lockbench
