// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/record/recovery.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/strings/str_format.h>

#include "harness/base/quantity.h"
#include "harness/bench/record/csv.h"
#include "harness/bench/record/row_check.h"
#include "harness/bench/record/schema.h"

namespace lockbench {
namespace {

constexpr std::string_view kNewRun = "use the lockbench that wrote it, or start a new run";

// Reads the cells of one file by the names of the columns.
class Table {
 public:
  // A text that was cut off within its header has no rows and no header.
  static absl::StatusOr<Table> read(std::string_view text, std::string_view name,
                                    std::vector<std::string> header) {
    absl::StatusOr<CsvText> csv = parse_csv(text, name);
    if (!csv.ok()) return csv.status();
    Table table(name, std::move(header), std::move(*csv));
    if (table.csv_.records.empty()) {
      if (csv_record(table.header_).starts_with(text)) return table;
      return absl::FailedPreconditionError(
          absl::StrFormat("%s:1: does not begin with the columns of schema version %d; %s", name,
                          kSchemaVersion, kNewRun));
    }
    if (absl::Status status = table.check_header(); !status.ok()) return status;
    return table;
  }

  bool has_header() const { return !csv_.records.empty(); }
  std::uint64_t whole_bytes() const { return csv_.whole_bytes; }
  bool torn() const { return csv_.torn; }

  // All records but the header.
  std::vector<CsvRecord> rows() const {
    if (!has_header()) return {};
    return {csv_.records.begin() + 1, csv_.records.end()};
  }

  absl::Status check_cells(const CsvRecord& row) const {
    if (row.fields.size() == header_.size()) return absl::OkStatus();
    return wrong(row, absl::StrFormat("%d cells where the header has %d", row.fields.size(),
                                      header_.size()));
  }

  // The row must have its cells.
  const std::string& cell(const CsvRecord& row, std::string_view column) const {
    const auto found = std::find(header_.begin(), header_.end(), column);
    return row.fields[static_cast<std::size_t>(found - header_.begin())];
  }

  absl::Status check_run(const CsvRecord& row, const RunIdentity& run) const {
    const std::string& run_id = cell(row, "run_id");
    if (run_id == run.run_id) return absl::OkStatus();
    return wrong(row,
                 absl::StrFormat("run_id is \"%s\" where the run's is \"%s\"", run_id, run.run_id));
  }

  absl::Status wrong(const CsvRecord& row, std::string_view what) const {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s:%d: %s; remove the row, and its trial is measured again", name_, row.line, what));
  }

 private:
  Table(std::string_view name, std::vector<std::string> header, CsvText csv)
      : name_(name), header_(std::move(header)), csv_(std::move(csv)) {}

  absl::Status check_header() const {
    const std::vector<std::string>& found = csv_.records.front().fields;
    if (found == header_) return absl::OkStatus();
    if (absl::Status status = check_separator(found, name_); !status.ok()) return status;
    const auto [theirs, ours] =
        std::mismatch(found.begin(), found.end(), header_.begin(), header_.end());
    return absl::FailedPreconditionError(
        absl::StrFormat("%s:1: column %d is \"%s\" where schema version %d has \"%s\"; %s", name_,
                        theirs - found.begin() + 1, theirs == found.end() ? "" : *theirs,
                        kSchemaVersion, ours == header_.end() ? "" : *ours, kNewRun));
  }

  std::string name_;
  std::vector<std::string> header_;
  CsvText csv_;
};

absl::Status take_trial(const Table& table, const CsvRecord& row, const RowCheck& check,
                        RecoveredTrials& recovered) {
  if (absl::Status status = table.check_cells(row); !status.ok()) return status;
  const std::string& version = table.cell(row, "schema_version");
  if (version != std::to_string(kSchemaVersion)) {
    return table.wrong(row, absl::StrFormat("schema version is \"%s\" where this lockbench has %d",
                                            version, kSchemaVersion));
  }
  const std::string difference = check.difference(
      [&](std::string_view column) -> std::string_view { return table.cell(row, column); });
  if (!difference.empty()) return table.wrong(row, difference);
  const std::optional<std::uint32_t> number = parse_number<std::uint32_t>(table.cell(row, "trial"));
  const std::string& attempt_cell = table.cell(row, "attempt");
  const std::optional<std::uint32_t> attempt = parse_number<std::uint32_t>(attempt_cell);
  if (!attempt) {
    return table.wrong(row, absl::StrFormat("attempt is \"%s\", no number", attempt_cell));
  }
  if (!recovered.attempts.insert({.trial = *number, .attempt = *attempt}).second) {
    return table.wrong(
        row, absl::StrFormat("attempt %d at trial %d has a row already", *attempt, *number));
  }
  recovered.done.insert(*number);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RecoveredTrials> recover_trials(std::string_view text, std::string_view name,
                                               const RunIdentity& run, const Plan& plan) {
  const absl::StatusOr<Table> table = Table::read(text, name, trial_header());
  if (!table.ok()) return table.status();
  RecoveredTrials recovered{.done = {},
                            .attempts = {},
                            .whole_bytes = table->whole_bytes(),
                            .torn = std::string(text.substr(table->whole_bytes())),
                            .header_missing = !table->has_header()};
  const RowCheck check(run, plan);
  for (const CsvRecord& row : table->rows()) {
    const absl::Status status = take_trial(*table, row, check, recovered);
    if (!status.ok()) return status;
  }
  return recovered;
}

absl::StatusOr<RecoveredLatency> recover_latency(std::string_view text, std::string_view name,
                                                 const RunIdentity& run,
                                                 const std::set<AttemptId>& attempts) {
  const absl::StatusOr<Table> table = Table::read(text, name, latency_header());
  if (!table.ok()) return table.status();
  RecoveredLatency recovered{.text = csv_record(latency_header())};
  for (const CsvRecord& row : table->rows()) {
    if (absl::Status status = table->check_cells(row); !status.ok()) return status;
    if (absl::Status status = table->check_run(row, run); !status.ok()) return status;
    const std::optional<std::uint32_t> trial =
        parse_number<std::uint32_t>(table->cell(row, "trial"));
    const std::optional<std::uint32_t> attempt =
        parse_number<std::uint32_t>(table->cell(row, "attempt"));
    if (trial && attempt && attempts.contains({.trial = *trial, .attempt = *attempt})) {
      recovered.text += text.substr(row.begin, row.end - row.begin);
    } else {
      recovered.removed += text.substr(row.begin, row.end - row.begin);
      ++recovered.removed_rows;
    }
  }
  if (table->has_header() && table->torn()) {
    recovered.removed += text.substr(table->whole_bytes());
    ++recovered.removed_rows;
  }
  return recovered;
}

}  // namespace lockbench
