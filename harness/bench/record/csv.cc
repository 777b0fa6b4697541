// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/record/csv.h"

#include <algorithm>

#include <absl/status/status.h>
#include <absl/strings/str_format.h>

namespace lockbench {
namespace {

void append_field(std::string& record, std::string_view field) {
  if (field.find_first_of("\",\r\n") == std::string_view::npos) {
    record += field;
    return;
  }
  record += '"';
  for (const char c : field) {
    if (c == '"') record += '"';
    record += c;
  }
  record += '"';
}

// Reads the cell that begins with a quote at `at`, and moves `at` behind its closing quote.
bool take_quoted(std::string_view line, std::size_t& at, std::string& cell) {
  for (++at;; ++at) {
    const std::size_t quote = line.find('"', at);
    if (quote == std::string_view::npos) return false;
    cell += line.substr(at, quote - at);
    at = quote + 1;
    if (at == line.size() || line[at] != '"') return true;
    cell += '"';  // the text has it twice
  }
}

}  // namespace

std::string csv_record(const std::vector<std::string>& fields) {
  std::string record;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) record += ',';
    append_field(record, fields[i]);
  }
  record += '\n';
  return record;
}

bool split_record(std::string_view line, std::vector<std::string_view>& cells,
                  std::vector<std::string>& unquoted) {
  cells.clear();
  unquoted.clear();
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.find('"') != std::string_view::npos) {
    // Cells refer to this text, so it must not be reallocated.
    unquoted.reserve(static_cast<std::size_t>(std::count(line.begin(), line.end(), '"')));
  }
  for (std::size_t at = 0;;) {
    if (at < line.size() && line[at] == '"') {
      if (!take_quoted(line, at, unquoted.emplace_back())) return false;
      cells.push_back(unquoted.back());
      if (at == line.size()) return true;
      if (line[at] != ',') return false;
      ++at;
      continue;
    }
    const std::size_t comma = std::min(line.find(',', at), line.size());
    cells.push_back(line.substr(at, comma - at));
    if (cells.back().find_first_of("\"\r") != std::string_view::npos) return false;
    if (comma == line.size()) return true;
    at = comma + 1;
  }
}

absl::StatusOr<CsvText> parse_csv(std::string_view text, std::string_view name) {
  CsvText result;
  std::vector<std::string_view> cells;
  std::vector<std::string> unquoted;
  std::size_t begin = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  result.whole_bytes = begin;
  for (std::size_t number = 1;; ++number) {
    const std::size_t line_end = text.find('\n', begin);
    if (line_end == std::string_view::npos) break;
    if (!split_record(text.substr(begin, line_end - begin), cells, unquoted)) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "%s:%d: a quote or a carriage return is out of place; quote the whole cell, double the "
          "quotes in it, and write each record in one line",
          name, number));
    }
    result.records.push_back({.fields = {cells.begin(), cells.end()},
                              .line = number,
                              .begin = begin,
                              .end = line_end + 1});
    begin = result.whole_bytes = line_end + 1;
  }
  result.torn = begin < text.size();
  return result;
}

absl::Status check_separator(const std::vector<std::string>& header, std::string_view name) {
  if (header.size() != 1) return absl::OkStatus();
  const std::size_t position = header.front().find_first_of(";\t|");
  if (position == std::string::npos) return absl::OkStatus();
  const char separator = header.front()[position];
  return absl::InvalidArgumentError(
      absl::StrFormat("%s:1: the columns are separated by %s; save the table with commas", name,
                      separator == '\t' ? "tabs" : absl::StrFormat("'%c'", separator)));
}

}  // namespace lockbench
