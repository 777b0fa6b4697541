// SPDX-License-Identifier: Apache-2.0

// CSV: records to text and back, after RFC 4180 with lines that end in LF.
//
// Guarantees   what csv_record() writes, parse_csv() reads back, whatever the characters: quotes,
//              commas, line ends, bytes that are not UTF-8. A text of records without line ends in
//              their cells that was cut off at any byte gives the records before the cut, and says
//              where the last whole one ends.
// Not offered  any change of the data: a cell that begins with `=`, `+`, `-` or `@` stays as it is.
//              A spreadsheet may take such a cell for a formula; import the columns as text.
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <absl/status/statusor.h>

namespace lockbench {

// One record with its line end. A field is quoted only if it must be.
std::string csv_record(const std::vector<std::string>& fields);

struct CsvRecord {
  std::vector<std::string> fields;
  std::size_t line = 0;   // on which it begins, from 1
  std::size_t begin = 0;  // offset of its first byte
  std::size_t end = 0;    // offset after its line end

  bool operator==(const CsvRecord&) const = default;
};

struct CsvText {
  std::vector<CsvRecord> records;  // whole ones: their line end was there
  std::size_t whole_bytes = 0;     // offset after the last whole record
  bool torn = false;               // one more record follows, which has no line end

  bool operator==(const CsvText&) const = default;
};

// LF and CR LF both end a record. `name` stands for the text in errors, which are of kind
// InvalidArgument and give line and column: of a quote that is out of place, of one that opens a
// cell which goes on over the end of its line and is never closed, and of a CR outside quotes that
// ends no line. O(text).
absl::StatusOr<CsvText> parse_csv(std::string_view text, std::string_view name);

// The number that the whole cell is; absent if the cell is anything else.
template <class T>
std::optional<T> number_in(std::string_view cell) {
  T number{};
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  if (error != std::errc{} || end != cell.data() + cell.size()) return std::nullopt;
  return number;
}

}  // namespace lockbench
