// SPDX-License-Identifier: Apache-2.0

// TrialIndex: for each trial of a plan, which of several tables has the rows that count.
//
// The rows of a trial are all attempts at it of one run. Of two runs that both have rows of a trial
// the order of preference decides: a valid row before none, then the later one, then the greater
// hash of the text. The order is total, so it does not matter in which order tables are added, nor
// whether some were merged before. Equal rows, of a run that is there twice, are no choice.
//
// Rows whose times are not all in latency.csv do not count: the copy of that file was cut off.
//
// Memory is some hundred bytes for each trial of the plan, and for each row of the run that is
// being read, however many runs there are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>

#include "harness/plan/cell.h"
#include "harness/record/csv_lines.h"
#include "harness/record/row.h"

namespace lockbench {

// A piece of a file.
struct FileSpan {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

// Seconds since 1970, first and last.
using Period = std::pair<std::int64_t, std::int64_t>;

// The rows of one trial in one table.
struct TrialRows {
  std::uint32_t run = kNone;  // which of the runs has them
  std::uint32_t last_attempt = 0;
  bool valid = false;        // one of them
  std::int64_t started = 0;  // the last of them, in seconds since 1970
  std::uint64_t hash = 0;    // of their text without what names the run
  FileSpan rows;             // in trials.csv
  FileSpan latency;          // in latency.csv

  static constexpr std::uint32_t kNone = UINT32_MAX;
};

// Trials of which a run has rows that do not count.
struct LeftOut {
  std::uint64_t for_a_valid_one = 0;
  std::uint64_t for_a_later_one = 0;
};

class TrialIndex {
 public:
  explicit TrialIndex(const Plan& plan);

  // Takes the rows of one more run, the next by number. Errors name file and line; the tables must
  // have the columns of the first run's. NotFound if trials.csv is missing.
  absl::Status add(const std::filesystem::path& folder, const RunIdentity& run);

  const std::vector<TrialRows>& trials() const { return trials_; }
  const std::string& header() const { return header_; }                  // of trials.csv
  const std::string& latency_header() const { return latency_header_; }  // empty: no table
  const std::vector<LeftOut>& left_out() const { return left_out_; }     // of each run
  // When each run measured, ascending and apart.
  const std::vector<std::vector<Period>>& periods() const { return periods_; }
  const std::vector<std::uint32_t>& counts() const { return counts_; }  // trials of each run
  const std::vector<bool>& torn() const { return torn_; }  // the run's trials.csv was cut off
  // Trials of each run that do not count because latency.csv lacks some of their times.
  const std::vector<std::uint32_t>& incomplete() const { return incomplete_; }

 private:
  class TrialsTable;

  void settle(std::uint32_t trial, const TrialRows& rows);

  const Plan& plan_;
  std::vector<std::uint64_t> planned_;  // hashes of what rows must have of each trial
  std::vector<TrialRows> trials_;
  std::string header_;
  std::string latency_header_;
  std::vector<LeftOut> left_out_;
  std::vector<std::vector<Period>> periods_;
  std::vector<std::uint32_t> counts_;
  std::vector<bool> torn_;
  std::vector<std::uint32_t> incomplete_;
};

// Seconds since 1970 of `2025-01-31T23:59:59Z`, and back; 0 for another text.
std::int64_t seconds_of(std::string_view iso);
std::string iso_of(std::int64_t seconds);

}  // namespace lockbench
