// SPDX-License-Identifier: Apache-2.0

#include "harness/command/merge/trial_index.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <optional>
#include <unordered_map>

#include <absl/strings/str_format.h>

#include "harness/plan/number.h"
#include "harness/plan/printable.h"
#include "harness/record/row_check.h"

namespace lockbench {
namespace {

// FNV-1a, as in fingerprint.h, computed piece by piece.
class Hash {
 public:
  void add(std::string_view piece) {
    for (const char c : piece) {
      hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
    hash_ = (hash_ ^ 0x100) * 0x100000001b3;  // separates the pieces
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

// The position of a column; absent if the table has none with that name.
std::optional<std::size_t> place_of(const std::vector<std::string>& columns,
                                    std::string_view name) {
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

// Reads a table by the names of its columns.
class Table {
 public:
  // `header`: that of the earlier tables; the first table sets it.
  static absl::StatusOr<Table> open(const std::filesystem::path& path, std::string& header) {
    absl::StatusOr<CsvLines> lines = CsvLines::open(path);
    if (!lines.ok()) return lines.status();
    Table table(path, *std::move(lines));
    if (!table.lines_.next()) {
      if (!table.lines_.status().ok()) return table.lines_.status();
      return absl::InvalidArgumentError(absl::StrFormat(
          "%s: has no header: a copy that was cut off; copy the folder again", path.string()));
    }
    if (header.empty()) header = table.lines_.line();
    if (absl::Status status = table.check_header(header); !status.ok()) return status;
    return table;
  }

  bool next() { return lines_.next(); }
  const CsvLines& lines() const { return lines_; }
  const std::vector<std::string_view>& cells() const { return cells_; }
  const std::vector<std::string>& columns() const { return columns_; }

  // Splits the line into its cells.
  absl::Status split() {
    if (!split_record(lines_.line(), cells_, unquoted_)) return wrong("a quote is out of place");
    if (cells_.size() == columns_.size()) return absl::OkStatus();
    return wrong(
        absl::StrFormat("%d cells where the header has %d", cells_.size(), columns_.size()));
  }

  std::optional<std::string_view> cell(std::string_view column) const {
    const std::optional<std::size_t> place = place_of(columns_, column);
    return place ? std::optional(cells_[*place]) : std::nullopt;
  }

  // Finds the columns that a table of this kind must have.
  absl::Status find(const std::vector<std::string_view>& names, std::vector<std::size_t>& places) {
    for (const std::string_view name : names) {
      const std::optional<std::size_t> place = place_of(columns_, name);
      if (!place) {
        return absl::FailedPreconditionError(
            absl::StrFormat("%s:1: column \"%s\" is missing; merge runs that this version of "
                            "lockbench or a later one wrote",
                            path_.string(), name));
      }
      places.push_back(*place);
    }
    return absl::OkStatus();
  }

  absl::Status wrong(std::string_view what) const {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s:%d: %s; remove the row, or copy the folder again", path_.string(),
                        lines_.number(), printable(what)));
  }

 private:
  Table(std::filesystem::path path, CsvLines lines)
      : path_(std::move(path)), lines_(std::move(lines)) {}

  absl::Status check_header(std::string_view right) {
    std::vector<std::string> unquoted;
    std::vector<std::string_view> columns;
    split_record(lines_.line(), columns, unquoted);
    columns_.assign(columns.begin(), columns.end());
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

  std::filesystem::path path_;
  CsvLines lines_;
  std::vector<std::string> columns_;
  std::vector<std::string_view> cells_;
  std::vector<std::string> unquoted_;
};

std::uint64_t count_in(std::string_view cell) {
  return parse_number<std::uint64_t>(cell).value_or(0);
}

double seconds_in(std::string_view cell) {
  return parse_number<double>(cell).value_or(0);
}

// Appends a period, or extends the last one if the two are adjacent.
void add_period(std::vector<Period>& periods, const Period& period) {
  if (!periods.empty() && period.first <= periods.back().second + 1) {
    periods.back().second = std::max(periods.back().second, period.second);
  } else {
    periods.push_back(period);
  }
}

// Sorts and joins periods after rows that were out of order.
void tidy(std::vector<Period>& periods) {
  std::sort(periods.begin(), periods.end());
  std::vector<Period> tidied;
  for (const Period& period : periods) add_period(tidied, period);
  periods = std::move(tidied);
}

// The number of waits and the number of holds.
using Samples = std::array<std::uint64_t, 2>;

// The rows of one attempt in latency.csv.
struct Times {
  std::uint32_t attempt = 0;
  FileSpan rows;
  Samples samples{};
};

// The rows of each trial in a run's latency.csv.
class LatencyTable {
 public:
  // The result is empty if the file is missing.
  static absl::StatusOr<LatencyTable> read(const std::filesystem::path& path, std::string& header,
                                           const RunIdentity& run) {
    LatencyTable latency;
    absl::StatusOr<Table> table = Table::open(path, header);
    if (absl::IsNotFound(table.status())) return latency;
    if (!table.ok()) return table.status();
    std::vector<std::size_t> places;
    absl::Status status = table->find({"run_id", "trial", "kind", "count", "attempt"}, places);
    while (status.ok() && table->next()) {
      status = table->split();
      if (status.ok()) status = latency.take_row(*table, places, run);
    }
    status.Update(table->lines().status());
    if (!status.ok()) return status;
    return latency;
  }

  // The rows of a trial up to this attempt; later attempts were interrupted. Adds their samples to
  // `samples`.
  FileSpan span_of(std::uint32_t trial, std::uint32_t last_attempt, Samples& samples) const {
    FileSpan span;
    const auto found = times_.find(trial);
    if (found == times_.end()) return span;
    for (const Times& times : found->second) {
      if (times.attempt > last_attempt) break;
      if (span.size == 0) span.offset = times.rows.offset;
      span.size += times.rows.size;
      for (std::size_t i = 0; i < samples.size(); ++i) samples[i] += times.samples[i];
    }
    return span;
  }

 private:
  enum Column : std::size_t { kRunId, kTrial, kKind, kCount, kAttempt };

  absl::Status take_row(const Table& table, const std::vector<std::size_t>& places,
                        const RunIdentity& run) {
    const auto cell = [&](Column column) { return table.cells()[places[column]]; };
    if (cell(kRunId) != run.run_id) {
      return table.wrong(
          absl::StrFormat("run_id is \"%s\" where the run's is \"%s\"", cell(kRunId), run.run_id));
    }
    const auto trial = parse_number<std::uint32_t>(cell(kTrial));
    const auto attempt = parse_number<std::uint32_t>(cell(kAttempt));
    if (!trial || !attempt) return table.wrong("trial or attempt is no number");
    std::vector<Times>& times = times_[*trial];
    const std::uint64_t offset = table.lines().offset();
    const bool follows =
        times.empty() || times.back().rows.offset + times.back().rows.size == offset;
    if (!follows || (!times.empty() && *attempt < times.back().attempt)) {
      return table.wrong(absl::StrFormat("trial %d has rows further above, too", *trial));
    }
    if (times.empty() || times.back().attempt != *attempt) {
      times.push_back({.attempt = *attempt, .rows = {.offset = offset, .size = 0}});
    }
    times.back().rows.size += table.lines().line().size() + 1;
    times.back().samples[cell(kKind) == "hold" ? 1 : 0] += count_in(cell(kCount));
    return absl::OkStatus();
  }

  std::unordered_map<std::uint32_t, std::vector<Times>> times_;
};

bool is_better(const TrialRows& a, const TrialRows& b) {
  if (a.valid != b.valid) return a.valid;
  if (a.started != b.started) return a.started > b.started;
  return a.hash > b.hash;
}

}  // namespace

// Reads one trials.csv and collects its rows by trial.
class TrialIndex::TrialsTable {
 public:
  enum Column : std::size_t {
    kRunId,
    kTrial,
    kAttempt,
    kValid,
    kStartedAt,
    kWaits,
    kHolds,
    kWarmup,
    kWindow,
    kPlanned,  // and all following columns
  };

  TrialsTable(TrialIndex& index, Table table, const LatencyTable& latency, const RunIdentity& run,
              std::uint32_t number)
      : index_(index),
        table_(std::move(table)),
        latency_(latency),
        check_(run, index.plan_),
        run_id_(run.run_id),
        number_(number),
        seen_(index.plan_.trials.size()) {}

  absl::Status read() {
    std::vector<std::string_view> names{"run_id",       "trial",      "attempt",
                                        "valid",        "started_at", "wait_samples",
                                        "held_samples", "warmup_s",   "window_s"};
    names.insert(names.end(), kPlannedColumns.begin(), kPlannedColumns.end());
    if (absl::Status status = table_.find(names, places_); !status.ok()) return status;
    while (table_.next()) {
      if (absl::Status status = take_row(); !status.ok()) return status;
    }
    settle();
    tidy(index_.periods_.back());
    index_.torn_.back() = table_.lines().torn();
    return table_.lines().status();
  }

 private:
  std::string_view cell(std::size_t column) const { return table_.cells()[places_[column]]; }

  absl::Status check() const {
    Hash planned;
    for (std::size_t i = 0; i < kPlannedColumns.size(); ++i) planned.add(cell(kPlanned + i));
    const auto trial = parse_number<std::uint32_t>(cell(kTrial));
    if (trial && *trial < index_.planned_.size() && planned.value() == index_.planned_[*trial] &&
        cell(kRunId) == run_id_) {
      return absl::OkStatus();
    }
    return table_.wrong(check_.difference([&](std::string_view c) { return table_.cell(c); }));
  }

  absl::Status take_row() {
    if (absl::Status status = table_.split(); !status.ok()) return status;
    if (absl::Status status = check(); !status.ok()) return status;
    const std::uint32_t trial = parse_number<std::uint32_t>(cell(kTrial)).value_or(0);
    const std::optional<std::uint32_t> attempt = parse_number<std::uint32_t>(cell(kAttempt));
    if (!attempt) return table_.wrong("attempt is no number");
    if (trial_ != trial) {
      settle();
      if (seen_[trial]) {
        return table_.wrong(absl::StrFormat("trial %d has rows further above, too", trial));
      }
      seen_[trial] = true;
      trial_ = trial;
      rows_ = {.run = number_, .rows = {.offset = table_.lines().offset(), .size = 0}};
      samples_ = {};
      hash_ = {};
    } else if (*attempt <= rows_.last_attempt) {
      return table_.wrong(
          absl::StrFormat("attempt %d at trial %d has a row already", *attempt, trial));
    }
    add_row(*attempt);
    return absl::OkStatus();
  }

  void add_row(std::uint32_t attempt) {
    rows_.last_attempt = attempt;
    rows_.valid |= cell(kValid) == "true";
    rows_.started = seconds_of(cell(kStartedAt));
    samples_[0] += count_in(cell(kWaits));
    samples_[1] += count_in(cell(kHolds));
    rows_.rows.size += table_.lines().line().size() + 1;
    for (std::size_t i = 0; i < table_.cells().size(); ++i) {
      if (i != places_[kRunId]) hash_.add(table_.cells()[i]);
    }
    const double lasted = seconds_in(cell(kWarmup)) + seconds_in(cell(kWindow));
    add_period(index_.periods_.back(),
               {rows_.started, rows_.started + std::llround(std::floor(lasted))});
  }

  void settle() {
    if (!trial_) return;
    rows_.hash = hash_.value();
    Samples found{};
    rows_.latency = latency_.span_of(*trial_, rows_.last_attempt, found);
    if (found == samples_) {
      index_.settle(*trial_, rows_);
      ++index_.counts_.back();
    } else {
      ++index_.incomplete_.back();
    }
    trial_.reset();
  }

  TrialIndex& index_;
  Table table_;
  const LatencyTable& latency_;
  const RowCheck check_;
  const std::string_view run_id_;
  const std::uint32_t number_;
  std::vector<bool> seen_;
  std::vector<std::size_t> places_;
  std::optional<std::uint32_t> trial_;
  TrialRows rows_;
  Samples samples_{};
  Hash hash_;
};

TrialIndex::TrialIndex(const Plan& plan) : plan_(plan), trials_(plan.trials.size()) {
  planned_.reserve(plan.trials.size());
  for (const Trial& trial : plan.trials) {
    Hash hash;
    for (const std::string& cell : planned_cells(trial)) hash.add(cell);
    planned_.push_back(hash.value());
  }
}

void TrialIndex::settle(std::uint32_t trial, const TrialRows& rows) {
  TrialRows& known = trials_[trial];
  if (known.run == TrialRows::kNone) {
    known = rows;
    return;
  }
  if (known.hash == rows.hash && known.started == rows.started) return;  // the same rows
  const bool better = is_better(rows, known);
  const TrialRows& loser = better ? known : rows;
  LeftOut& left_out = left_out_[loser.run];
  ++(known.valid != rows.valid ? left_out.for_a_valid_one : left_out.for_a_later_one);
  if (better) known = rows;
}

absl::Status TrialIndex::add(const std::filesystem::path& folder, const RunIdentity& run) {
  const auto number = static_cast<std::uint32_t>(left_out_.size());
  left_out_.emplace_back();
  periods_.emplace_back();
  counts_.push_back(0);
  torn_.push_back(false);
  incomplete_.push_back(0);
  const absl::StatusOr<LatencyTable> latency =
      LatencyTable::read(folder / "latency.csv", latency_header_, run);
  if (!latency.ok()) return latency.status();
  absl::StatusOr<Table> table = Table::open(folder / "trials.csv", header_);
  if (!table.ok()) return table.status();
  return TrialsTable(*this, *std::move(table), *latency, run, number).read();
}

std::int64_t seconds_of(std::string_view iso) {
  std::tm parts{};
  const std::string text(iso);
  const char* const end = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return end != nullptr && *end == '\0' ? static_cast<std::int64_t>(timegm(&parts)) : 0;
}

std::string iso_of(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[64];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace lockbench
