// SPDX-License-Identifier: Apache-2.0

// RunTable: reads trials.csv or latency.csv of a run by the names of its columns. Errors name file
// and line, and say what would be right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "harness/bench/merge/csv_lines.h"

namespace lockbench {

// A part of a file.
struct FileSpan {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

class RunTable {
 public:
  // `header`: the header of the earlier tables; the first table sets it. NotFound: there is no such
  // file.
  static absl::StatusOr<RunTable> open(const std::filesystem::path& path, std::string& header);

  bool next() { return lines_.next(); }
  const CsvLines& lines() const { return lines_; }
  const std::vector<std::string_view>& cells() const { return cells_; }

  // Splits the line into its cells.
  absl::Status split();

  std::optional<std::string_view> cell(std::string_view column) const;

  // Appends the positions of columns that a table of this kind must have.
  absl::Status find(const std::vector<std::string_view>& names,
                    std::vector<std::size_t>& indices) const;

  absl::Status wrong(std::string_view what) const;

 private:
  RunTable(std::filesystem::path path, CsvLines lines)
      : path_(std::move(path)), lines_(std::move(lines)) {}

  absl::Status check_header(std::string_view right);
  std::optional<std::size_t> index_of(std::string_view name) const;

  std::filesystem::path path_;
  CsvLines lines_;
  std::vector<std::string> columns_;
  std::vector<std::string_view> cells_;
  std::vector<std::string> unquoted_;
};

}  // namespace lockbench
