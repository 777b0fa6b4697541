// SPDX-License-Identifier: Apache-2.0

// TrialIndex: for each trial of a plan, which of several tables has the rows to use.
//
// The rows of a trial are all attempts at it in one run. If two runs have rows of a trial, the
// better ones are used: a valid row before an invalid one, then the later one, then the one with
// the greater hash of the text. This order is total, so the result does not depend on the order in
// which tables are added, nor on earlier merges. If a run is given twice, its rows are equal, and
// it does not matter which are used.
//
// Rows whose times are not all in latency.csv are not used, because the copy of that file was cut
// off.
//
// The memory is some hundred bytes for each trial of the plan, and for each row of the run that is
// being read, however many runs there are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "harness/bench/merge/periods.h"
#include "harness/bench/merge/run_table.h"
#include "harness/bench/plan/cell.h"
#include "harness/bench/record/row.h"

namespace lockbench {

// The rows of one trial in one table.
struct TrialRows {
  std::uint32_t run = kNone;  // number of the run that has them
  std::uint32_t last_attempt = 0;
  bool valid = false;        // one of the rows is valid
  std::int64_t started = 0;  // start of the last attempt, in seconds since 1970
  std::uint64_t hash = 0;    // of their text without the cell that names the run
  FileSpan rows;             // in trials.csv
  FileSpan latency;          // in latency.csv

  static constexpr std::uint32_t kNone = UINT32_MAX;
};

// The facts that the index knows of a run.
struct MergedRun {
  std::uint32_t trials = 0;      // with rows that can be used
  std::uint32_t incomplete = 0;  // trials with missing times in latency.csv: not used
  // Trials whose rows are not used because another run has better ones.
  std::uint64_t left_for_a_valid_one = 0;
  std::uint64_t left_for_a_later_one = 0;
  bool torn = false;            // its trials.csv was cut off
  std::vector<Period> periods;  // in which it was measured, ascending and not adjacent
};

class TrialIndex {
 public:
  explicit TrialIndex(const Plan& plan);

  // Reads the rows of one more run, which gets the next number. Errors name file and line. The
  // tables must have the columns of the first run's tables. NotFound if trials.csv is missing.
  absl::Status add(const std::filesystem::path& folder, const RunIdentity& run);

  const std::vector<TrialRows>& trials() const { return trials_; }
  const std::string& header() const { return header_; }                  // of trials.csv
  const std::string& latency_header() const { return latency_header_; }  // empty: no table
  const std::vector<MergedRun>& runs() const { return runs_; }           // by number

 private:
  class TrialsTable;

  void settle(std::uint32_t trial, const TrialRows& rows);

  const Plan& plan_;
  std::vector<std::uint64_t>
      planned_;  // hashes of the cells that the plan determines for each trial
  std::vector<TrialRows> trials_;
  std::string header_;
  std::string latency_header_;
  std::vector<MergedRun> runs_;
};

}  // namespace lockbench
