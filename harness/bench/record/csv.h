// SPDX-License-Identifier: Apache-2.0

// CSV: records to text and back, after RFC 4180. Each record is one line.
//
// Requires     No cell that is written contains a line end (schema.h guarantees it).
// Guarantees   parse_csv() reads back what csv_record() writes, for all other characters: quotes,
//              commas, bytes that are not UTF-8. If a text was cut off at any byte, the result has
//              the records before the cut, and says where the last whole one ends.
// Not offered  Any change of the data: a cell that begins with `=`, `+`, `-` or `@` stays as it is.
//              A spreadsheet may read this cell as a formula; import the columns as text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

namespace lockbench {

// One record with its line end. A field is quoted only if that is necessary.
std::string csv_record(const std::vector<std::string>& fields);

struct CsvRecord {
  std::vector<std::string> fields;
  std::size_t line = 0;   // its number, from 1
  std::size_t begin = 0;  // offset of its first byte
  std::size_t end = 0;    // offset after its line end

  bool operator==(const CsvRecord&) const = default;
};

struct CsvText {
  std::vector<CsvRecord> records;  // whole records: those with a line end
  std::size_t whole_bytes = 0;     // offset after the last whole record, or where the first begins
  bool torn = false;               // the text ends with a record without a line end

  bool operator==(const CsvText&) const = default;
};

// The bytes that some programs write before a text in UTF-8.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Splits a line, without its LF, into its cells; a CR at its end is none of them. A cell without
// quotes is a part of `line`; `unquoted` holds the others. Returns false if a quote is in a wrong
// position, or a CR outside of quotes. O(line).
bool split_record(std::string_view line, std::vector<std::string_view>& cells,
                  std::vector<std::string>& unquoted);

// LF and CR LF both end a record. A byte-order mark before the first record is no part of it.
// InvalidArgument calls the text `name` and says which line cannot be split. O(text).
absl::StatusOr<CsvText> parse_csv(std::string_view text, std::string_view name);

// InvalidArgument if the columns of a header are separated by another character than a comma, as
// spreadsheets write them in some languages: the header then has one cell. The error calls the text
// `name` and names the separator.
absl::Status check_separator(const std::vector<std::string>& header, std::string_view name);

}  // namespace lockbench
