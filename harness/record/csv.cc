// SPDX-License-Identifier: Apache-2.0

#include "harness/record/csv.h"

#include <utility>

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

// Reads one field after another; `at_` is the next byte.
class Scanner {
 public:
  enum class After { kComma, kRecordEnd, kTextEnd };

  Scanner(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  std::size_t at() const { return at_; }
  std::size_t line() const { return line_; }
  bool done() const { return at_ == text_.size(); }

  // Reads the next field into `field` and returns what follows it.
  absl::StatusOr<After> next(std::string& field) {
    field.clear();
    return !done() && text_[at_] == '"' ? quoted(field) : plain(field);
  }

 private:
  absl::StatusOr<After> plain(std::string& field) {
    for (; !done(); ++at_) {
      if (text_[at_] == '"') {
        return out_of_place("a quote inside a field that does not begin with one",
                            "quote the whole field and double the quotes in it");
      }
      if (ends_field()) return step_over_end();
      if (text_[at_] == '\r' && !torn_line_end()) {
        return out_of_place("a carriage return that ends no line", "quote the field or remove it");
      }
      field += text_[at_];
    }
    return After::kTextEnd;
  }

  absl::StatusOr<After> quoted(std::string& field) {
    const std::size_t opened_at = at_;
    const std::size_t opened_line = line_;
    const std::size_t opened_line_begin = line_begin_;
    for (++at_; !done(); ++at_) {
      if (text_[at_] != '"') {
        if (text_[at_] == '\n') start_line(at_ + 1);
        field += text_[at_];
        continue;
      }
      ++at_;
      if (done()) break;
      if (ends_field()) return step_over_end();
      if (torn_line_end()) break;
      if (text_[at_] != '"') {
        return out_of_place("text after the quote that closes a field",
                            "a comma or the end of the line belongs there");
      }
      field += '"';
    }
    at_ = text_.size();
    // If the rest of one line is missing, the record was cut off. A cell over several lines is an
    // error, because one stray quote would turn whole records into a part of its cell.
    if (line_ > opened_line) {
      return out_of_place(opened_line, opened_at - opened_line_begin,
                          "the quote that opens this field is never closed",
                          "remove it or close the field");
    }
    return After::kTextEnd;
  }

  bool ends_field() const {
    return text_[at_] == ',' || text_[at_] == '\n' || text_.substr(at_, 2) == "\r\n";
  }

  // The CR of a CR LF whose LF was cut off.
  bool torn_line_end() const { return text_.substr(at_) == "\r"; }

  After step_over_end() {
    if (text_[at_] == ',') {
      ++at_;
      return After::kComma;
    }
    at_ += text_[at_] == '\r' ? 2 : 1;
    start_line(at_);
    return After::kRecordEnd;
  }

  void start_line(std::size_t begin) {
    ++line_;
    line_begin_ = begin;
  }

  absl::Status out_of_place(std::string_view what, std::string_view right) const {
    return out_of_place(line_, at_ - line_begin_, what, right);
  }

  absl::Status out_of_place(std::size_t line, std::size_t bytes_before, std::string_view what,
                            std::string_view right) const {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s:%d:%d: %s; %s", name_, line, bytes_before + 1, what, right));
  }

  const std::string_view text_;
  const std::string_view name_;
  std::size_t at_ = text_.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  std::size_t line_ = 1;
  std::size_t line_begin_ = at_;
};

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

absl::StatusOr<CsvText> parse_csv(std::string_view text, std::string_view name) {
  CsvText result;
  Scanner scanner(text, name);
  while (!scanner.done()) {
    CsvRecord record{.line = scanner.line(), .begin = scanner.at()};
    auto after = Scanner::After::kComma;
    while (after == Scanner::After::kComma) {
      std::string field;
      absl::StatusOr<Scanner::After> next = scanner.next(field);
      if (!next.ok()) return next.status();
      record.fields.push_back(std::move(field));
      after = *next;
    }
    if (after == Scanner::After::kTextEnd) {
      result.torn = true;
      break;
    }
    record.end = scanner.at();
    result.whole_bytes = record.end;
    result.records.push_back(std::move(record));
  }
  return result;
}

absl::Status check_separator(const std::vector<std::string>& header, std::string_view name) {
  if (header.size() != 1) return absl::OkStatus();
  const std::size_t place = header.front().find_first_of(";\t|");
  if (place == std::string::npos) return absl::OkStatus();
  const char separator = header.front()[place];
  return absl::InvalidArgumentError(
      absl::StrFormat("%s:1: the columns are separated by %s; save the table with commas", name,
                      separator == '\t' ? "tabs" : absl::StrFormat("'%c'", separator)));
}

}  // namespace lockbench
