// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/merge/trial_index.h"

#include <cmath>
#include <optional>
#include <utility>

#include <absl/strings/str_format.h>

#include "harness/base/quantity.h"
#include "harness/bench/merge/latency_table.h"
#include "harness/bench/merge/piecewise_hash.h"
#include "harness/bench/merge/run_table.h"
#include "harness/bench/record/row_check.h"

namespace lockbench {
namespace {

double seconds_in(std::string_view cell) {
  return parse_number<double>(cell).value_or(0);
}

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

  TrialsTable(TrialIndex& index, RunTable table, const LatencyTable& latency,
              const RunIdentity& run, std::uint32_t number)
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
    if (absl::Status status = table_.find(names, indices_); !status.ok()) return status;
    while (table_.next()) {
      if (absl::Status status = take_row(); !status.ok()) return status;
    }
    settle();
    sort_and_join(run().periods);
    run().torn = table_.lines().torn();
    return table_.lines().status();
  }

 private:
  std::string_view cell(std::size_t column) const { return table_.cells()[indices_[column]]; }
  MergedRun& run() { return index_.runs_.back(); }

  absl::Status check() const {
    PiecewiseHash planned;
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
      if (i != indices_[kRunId]) hash_.add(table_.cells()[i]);
    }
    const double lasted = seconds_in(cell(kWarmup)) + seconds_in(cell(kWindow));
    add_period(run().periods, {rows_.started, rows_.started + std::llround(std::floor(lasted))});
  }

  void settle() {
    if (!trial_) return;
    rows_.hash = hash_.value();
    LatencyTable::Samples found{};
    rows_.latency = latency_.span_of(*trial_, rows_.last_attempt, found);
    if (found == samples_) {
      index_.settle(*trial_, rows_);
      ++run().trials;
    } else {
      ++run().incomplete;
    }
    trial_.reset();
  }

  TrialIndex& index_;
  RunTable table_;
  const LatencyTable& latency_;
  const RowCheck check_;
  const std::string_view run_id_;
  const std::uint32_t number_;
  std::vector<bool> seen_;
  std::vector<std::size_t> indices_;
  std::optional<std::uint32_t> trial_;
  TrialRows rows_;
  LatencyTable::Samples samples_{};
  PiecewiseHash hash_;
};

TrialIndex::TrialIndex(const Plan& plan) : plan_(plan), trials_(plan.trials.size()) {
  planned_.reserve(plan.trials.size());
  for (const Trial& trial : plan.trials) {
    PiecewiseHash hash;
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
  MergedRun& run = runs_[loser.run];
  ++(known.valid != rows.valid ? run.left_for_a_valid_one : run.left_for_a_later_one);
  if (better) known = rows;
}

absl::Status TrialIndex::add(const std::filesystem::path& folder, const RunIdentity& run) {
  const auto number = static_cast<std::uint32_t>(runs_.size());
  runs_.emplace_back();
  const absl::StatusOr<LatencyTable> latency =
      LatencyTable::read(folder / "latency.csv", latency_header_, run);
  if (!latency.ok()) return latency.status();
  absl::StatusOr<RunTable> table = RunTable::open(folder / "trials.csv", header_);
  if (!table.ok()) return table.status();
  return TrialsTable(*this, *std::move(table), *latency, run, number).read();
}

}  // namespace lockbench
