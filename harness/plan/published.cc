// SPDX-License-Identifier: Apache-2.0

#include "harness/plan/published.h"

#include <array>
#include <utility>

#include <absl/strings/str_format.h>

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include "harness/plan/nearest.h"

namespace lockbench {
namespace {

using Unit = PublishedRow::Unit;

constexpr std::array<std::pair<std::string_view, Unit>, 8> kUnits{{{"s", Unit::kSeconds},
                                                                   {"ms", Unit::kMilliseconds},
                                                                   {"ns", Unit::kNanoseconds},
                                                                   {"bytes", Unit::kBytes},
                                                                   {"count", Unit::kCount},
                                                                   {"%", Unit::kShare},
                                                                   {"% saved", Unit::kSaved},
                                                                   {"times", Unit::kTimes}}};

// Reads one file. The first thing wrong is kept, and ends it.
class Reader {
 public:
  explicit Reader(std::string_view file_name) : name_(file_name) {}

  Published published(const toml::table& root) {
    Published published;
    for (const auto& [key, node] : root) {
      if (key == "source") {
        published.source = text(node);
      } else if (key == "note") {
        published.note = text(node);
      } else if (key == "columns") {
        published.columns = texts(node);
      } else if (key == "measured") {
        each_table(node, [&](const toml::table& t) { published.measured.push_back(column(t)); });
      } else if (key == "row") {
        each_table(node, [&](const toml::table& t) { published.rows.push_back(row(t)); });
      } else {
        unknown("key", key, {"source", "note", "columns", "measured", "row"});
      }
    }
    return published;
  }

  void refuse(toml::source_position at, std::string_view message) {
    if (!status_.ok()) return;
    status_ = absl::InvalidArgumentError(
        absl::StrFormat("%s:%d:%d: %s", name_, at.line, at.column, message));
  }

  const absl::Status& status() const { return status_; }

 private:
  PublishedColumn column(const toml::table& table) {
    PublishedColumn column;
    for (const auto& [key, node] : table) {
      if (key == "title") {
        column.title = text(node);
      } else if (key == "where") {
        column.where = pairs(node);
      } else if (key == "spare") {
        column.spare = flag(node);
      } else {
        unknown("key of a measured column", key, {"title", "where", "spare"});
      }
    }
    return column;
  }

  PublishedRow row(const toml::table& table) {
    PublishedRow row;
    for (const auto& [key, node] : table) {
      if (key == "title") {
        row.title = text(node);
      } else if (key == "published") {
        row.published = texts(node);
      } else if (key == "figure") {
        row.figure = text(node);
      } else if (key == "unit") {
        row.unit = unit(node);
      } else if (key == "where") {
        row.where = pairs(node);
      } else if (key == "against") {
        row.against = text(node);
      } else {
        unknown("key of a row", key, {"title", "published", "figure", "unit", "where", "against"});
      }
    }
    const bool compares = row.unit == Unit::kSaved || row.unit == Unit::kTimes;
    if (compares == row.against.empty()) {
      refuse(table.source().begin,
             "units '% saved' and 'times' go with against = \"PRIMITIVE\", and no other does");
    }
    return row;
  }

  Unit unit(const toml::node& node) {
    const std::string written = text(node);
    std::vector<std::string> names;
    for (const auto& [name, unit] : kUnits) {
      if (name == written) return unit;
      names.emplace_back(name);
    }
    refuse(node.source().begin, std::string(unknown_name("unit", written, names).message()));
    return Unit::kCount;
  }

  bool flag(const toml::node& node) {
    if (const auto flag = node.value_exact<bool>()) return *flag;
    refuse(node.source().begin, "wants true or false");
    return false;
  }

  std::string text(const toml::node& node) {
    if (const auto text = node.value_exact<std::string>()) return *text;
    refuse(node.source().begin, "wants text in quotes");
    return {};
  }

  std::vector<std::string> texts(const toml::node& node) {
    std::vector<std::string> texts;
    if (const toml::array* const array = node.as_array()) {
      for (const toml::node& element : *array) texts.push_back(text(element));
    } else {
      refuse(node.source().begin, "wants an array of texts");
    }
    return texts;
  }

  std::map<std::string, std::string> pairs(const toml::node& node) {
    std::map<std::string, std::string> pairs;
    if (const toml::table* const table = node.as_table()) {
      for (const auto& [key, value] : *table) pairs[std::string(key.str())] = text(value);
    } else {
      refuse(node.source().begin, "wants a table, as {primitive = \"keyed\"}");
    }
    return pairs;
  }

  template <class Take>
  void each_table(const toml::node& node, Take take) {
    const toml::array* const tables = node.as_array();
    if (tables == nullptr || !tables->is_homogeneous<toml::table>()) {
      refuse(node.source().begin, "write each as a table of its own, in double brackets");
      return;
    }
    for (const toml::node& element : *tables) take(*element.as_table());
  }

  void unknown(std::string_view kind, const toml::key& key, std::vector<std::string> names) {
    refuse(key.source().begin, std::string(unknown_name(kind, key.str(), names).message()));
  }

  const std::string name_;
  absl::Status status_;
};

}  // namespace

absl::StatusOr<Published> parse_published(std::string_view toml, std::string_view file_name) {
  Reader reader(file_name);
  const toml::parse_result parsed = toml::parse(toml, file_name);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    reader.refuse(error.source().begin, "not TOML: " + std::string(error.description()));
    return reader.status();
  }
  Published published = reader.published(parsed.table());
  for (const PublishedRow& row : published.rows) {
    if (row.published.size() == published.columns.size()) continue;
    reader.refuse({1, 1}, "row '" + row.title + "' has " + std::to_string(row.published.size()) +
                              " published figures; it is to have one for each of " +
                              std::to_string(published.columns.size()) + " columns");
  }
  if (!reader.status().ok()) return reader.status();
  return published;
}

}  // namespace lockbench
