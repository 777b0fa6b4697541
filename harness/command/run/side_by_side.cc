// SPDX-License-Identifier: Apache-2.0

#include "harness/command/run/side_by_side.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <set>

#include <absl/strings/str_format.h>

#include "harness/plan/median.h"

namespace lockbench {
namespace {

using Selection = std::map<std::string, std::string>;
using Unit = PublishedRow::Unit;

constexpr char kNothing[] = "–";

// What is counted of rows that are not valid, too.
constexpr std::array<std::string_view, 5> kCountsOfTrouble = {
    "lost_updates", "violations", "timeouts", "expired_holds", "refused_writes"};

bool counts_trouble(const std::string& figure) {
  return std::find(kCountsOfTrouble.begin(), kCountsOfTrouble.end(), figure) !=
         kCountsOfTrouble.end();
}

std::optional<double> median_of(const std::vector<std::string>& cells) {
  std::vector<double> figures;
  for (const std::string& cell : cells) {
    if (!cell.empty()) figures.push_back(std::strtod(cell.c_str(), nullptr));
  }
  if (figures.empty()) return std::nullopt;
  return median(std::move(figures));
}

std::optional<double> figure_of(const MeasuredRows& measured, Selection where,
                                const std::string& figure) {
  if (!counts_trouble(figure)) where["valid"] = "true";
  return median_of(measured.cells(where, figure));
}

std::string in_unit(double value, Unit unit) {
  switch (unit) {
    case Unit::kSeconds:
      return absl::StrFormat("%.3f s", value);
    case Unit::kMilliseconds:
      return absl::StrFormat("%.2f", value * 1e3);  // of wide tables, whose note names the unit
    case Unit::kNanoseconds:
      return absl::StrFormat("%.0f ns", value);
    case Unit::kBytes:
      return absl::StrFormat("%.0f bytes", value);
    case Unit::kCount:
      return absl::StrFormat("%.0f", value);
    case Unit::kShare:
    case Unit::kSaved:
      return absl::StrFormat("%.1f %%", value * 100);
    case Unit::kTimes:
      return absl::StrFormat("%.1f ×", value);
  }
  return kNothing;
}

// How trials ended that have no figure to show, each ending once.
std::string endings(const MeasuredRows& measured, const Selection& where) {
  std::set<std::string> different;
  for (const std::string& outcome : measured.cells(where, "outcome")) different.insert(outcome);
  std::string text;
  for (const std::string& outcome : different) text += (text.empty() ? "" : ", ") + outcome;
  return text.empty() ? kNothing : text == "ok" ? "not valid" : text;
}

// "ok" where the proof held, too.
std::string outcome_text(const MeasuredRows& measured, const Selection& where) {
  const auto is_none = [](const std::string& count) { return count == "0"; };
  for (const char* const count : {"lost_updates", "violations"}) {
    const std::vector<std::string> cells = measured.cells(where, count);
    if (cells.empty() || !std::all_of(cells.begin(), cells.end(), is_none)) {
      return endings(measured, where);
    }
  }
  return "ok";
}

std::string measured_text(const PublishedRow& row, const PublishedColumn& column,
                          const MeasuredRows& measured) {
  Selection where = row.where;
  where.insert(column.where.begin(), column.where.end());
  if (row.figure == "outcome") return outcome_text(measured, where);
  const std::optional<double> value = figure_of(measured, where, row.figure);
  if (!value) return endings(measured, where);
  if (row.against.empty()) return in_unit(*value, row.unit);

  where["primitive"] = row.against;
  const std::optional<double> other = figure_of(measured, where, row.figure);
  if (!other || *other == 0) return kNothing;
  const double ratio = *value / *other;
  return in_unit(row.unit == Unit::kSaved ? 1 - ratio : ratio, row.unit);
}

// For programs: `nesting=share` -> nesting_share.
std::string name_of(const std::string& title) {
  std::string name;
  for (const char c : title) {
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  return name;
}

std::vector<SectionColumn> columns_of(const Published& published) {
  std::vector<SectionColumn> columns{{.name = "what", .heading = "what"}};
  for (const std::string& title : published.columns) {
    columns.push_back({.name = name_of(title), .heading = title});
  }
  for (const PublishedColumn& column : published.measured) {
    columns.push_back({.name = name_of(column.title),
                       .heading = column.title,
                       .expendable = column.spare ? 1 : 0});
  }
  return columns;
}

}  // namespace

MeasuredRows::MeasuredRows(const CsvText& trials) {
  if (trials.records.empty()) return;
  const std::vector<std::string>& header = trials.records.front().fields;
  for (std::size_t i = 1; i < trials.records.size(); ++i) {
    const std::vector<std::string>& fields = trials.records[i].fields;
    auto& row = rows_.emplace_back();
    for (std::size_t c = 0; c < std::min(header.size(), fields.size()); ++c) {
      row[header[c]] = fields[c];
    }
    if (!row["params"].empty()) row["primitive"] += ":" + row["params"];
  }
}

bool MeasuredRows::has_column(const std::string& name) const {
  return !rows_.empty() && rows_.front().contains(name);
}

std::vector<std::string> MeasuredRows::cells(const Selection& where,
                                             const std::string& column) const {
  std::vector<std::string> cells;
  for (const auto& row : rows_) {
    const bool selected = std::all_of(where.begin(), where.end(), [&](const auto& condition) {
      const auto found = row.find(condition.first);
      return found != row.end() && found->second == condition.second;
    });
    const auto found = row.find(column);
    if (selected && found != row.end()) cells.push_back(found->second);
  }
  return cells;
}

std::optional<Section> side_by_side(const Published& published, const MeasuredRows& measured) {
  Section section{.name = "published",
                  .title = "Published (" + published.source + ") and measured here",
                  .columns = columns_of(published)};
  bool anything = false;
  for (const PublishedRow& row : published.rows) {
    SectionRow& shown = section.rows.emplace_back();
    shown.entries.push_back({row.title, row.title});
    for (const std::string& figure : row.published) shown.entries.push_back({figure, figure});
    for (const PublishedColumn& column : published.measured) {
      const std::string text = measured_text(row, column, measured);
      shown.entries.push_back({text, text});
      anything = anything || text != kNothing;
    }
  }
  if (!anything) return std::nullopt;
  if (!published.note.empty()) section.notes.push_back(published.note);
  return section;
}

}  // namespace lockbench
