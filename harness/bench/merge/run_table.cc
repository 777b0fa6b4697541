// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/merge/run_table.h"

#include <algorithm>

#include <absl/strings/str_format.h>

#include "harness/base/printable.h"
#include "harness/bench/record/csv.h"

namespace lockbench {

absl::StatusOr<RunTable> RunTable::open(const std::filesystem::path& path, std::string& header) {
  absl::StatusOr<CsvLines> lines = CsvLines::open(path);
  if (!lines.ok()) return lines.status();
  RunTable table(path, *std::move(lines));
  if (!table.lines_.next()) {
    if (!table.lines_.status().ok()) return table.lines_.status();
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: has no header: a copy that was cut off; copy the folder again", path.string()));
  }
  if (header.empty()) header = table.lines_.line();
  if (absl::Status status = table.check_header(header); !status.ok()) return status;
  return table;
}

absl::Status RunTable::split() {
  if (!split_record(lines_.line(), cells_, unquoted_)) return wrong("a quote is out of place");
  if (cells_.size() == columns_.size()) return absl::OkStatus();
  return wrong(absl::StrFormat("%d cells where the header has %d", cells_.size(), columns_.size()));
}

std::optional<std::size_t> RunTable::index_of(std::string_view name) const {
  const auto found = std::find(columns_.begin(), columns_.end(), name);
  if (found == columns_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns_.begin());
}

std::optional<std::string_view> RunTable::cell(std::string_view column) const {
  const std::optional<std::size_t> index = index_of(column);
  return index ? std::optional(cells_[*index]) : std::nullopt;
}

absl::Status RunTable::find(const std::vector<std::string_view>& names,
                            std::vector<std::size_t>& indices) const {
  for (const std::string_view name : names) {
    const std::optional<std::size_t> index = index_of(name);
    if (!index) {
      return absl::FailedPreconditionError(
          absl::StrFormat("%s:1: column \"%s\" is missing; merge runs that this version of "
                          "lockbench or a later one wrote",
                          path_.string(), name));
    }
    indices.push_back(*index);
  }
  return absl::OkStatus();
}

absl::Status RunTable::wrong(std::string_view what) const {
  return absl::InvalidArgumentError(
      absl::StrFormat("%s:%d: %s; remove the row, or copy the folder again", path_.string(),
                      lines_.number(), printable(what)));
}

absl::Status RunTable::check_header(std::string_view right) {
  std::vector<std::string> unquoted;
  std::vector<std::string_view> columns;
  split_record(lines_.line(), columns, unquoted);
  columns_.assign(columns.begin(), columns.end());
  if (absl::Status status = check_separator(columns_, path_.string()); !status.ok()) return status;
  if (lines_.line() == right) return absl::OkStatus();
  split_record(right, columns, unquoted);
  const auto [ours, first] =
      std::mismatch(columns_.begin(), columns_.end(), columns.begin(), columns.end());
  return absl::FailedPreconditionError(absl::StrFormat(
      "%s:1: different schemas: column %d is \"%s\" where the first run has \"%s\"; merge shards "
      "of one build",
      path_.string(), ours - columns_.begin() + 1, ours == columns_.end() ? "" : *ours,
      first == columns.end() ? "" : *first));
}

}  // namespace lockbench
