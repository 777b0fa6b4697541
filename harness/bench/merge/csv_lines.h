// SPDX-License-Identifier: Apache-2.0

// CsvLines: reads a table of a run line by line, in memory that does not grow with the table.
//
// Requires     No cell contains a line end (schema.h guarantees it): each line is a record, which
//              split_record() splits (csv.h).
// Guarantees   If the last line has no end, because a writer was killed or a copy was cut off, it
//              is not returned; torn() is then true. A byte-order mark before the first line is
//              no part of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

namespace lockbench {

class CsvLines {
 public:
  static absl::StatusOr<CsvLines> open(const std::filesystem::path& path);

  CsvLines(CsvLines&& other) noexcept;
  CsvLines& operator=(CsvLines&&) = delete;
  ~CsvLines();

  // Goes to the next line. Returns false at the end and after an error. The line is valid until the
  // next call.
  bool next();

  std::string_view line() const { return line_; }   // without its line end
  std::uint64_t offset() const { return offset_; }  // of its first byte in the file
  std::uint64_t number() const { return number_; }  // from 1
  bool torn() const { return torn_; }
  const absl::Status& status() const { return status_; }

 private:
  CsvLines(std::filesystem::path path, int fd);

  // Makes room and reads more. Returns false at the end.
  bool read_more();

  std::filesystem::path path_;
  int fd_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;          // start of the data that was not returned yet, in the buffer
  std::size_t end_ = 0;            // end of the data that was read
  std::uint64_t file_offset_ = 0;  // of begin_
  std::uint64_t offset_ = 0;
  std::uint64_t number_ = 0;
  std::string_view line_;
  bool torn_ = false;
  absl::Status status_;
};

}  // namespace lockbench
