// SPDX-License-Identifier: Apache-2.0

// Recovery: which parts of a run's files to keep after its writer was stopped at any point. Pure:
// texts in, decisions out.
//
// A trial is done if a whole row of it is in trials.csv. Each attempt at it writes its row there
// last. Rows in latency.csv of any other attempt therefore belong to an attempt that was
// interrupted. A killed writer leaves at most one record without a line end, the last one of a
// file. Anything else that is wrong is an error: no row that may be valid is ever removed.
#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "harness/bench/record/row.h"

namespace lockbench {

struct AttemptId {
  std::uint32_t trial = 0;
  std::uint32_t attempt = 0;

  auto operator<=>(const AttemptId&) const = default;
};

struct RecoveredTrials {
  std::set<std::uint32_t> done;   // numbers of the trials that have a row
  std::set<AttemptId> attempts;   // attempts that have a row
  std::uint64_t whole_bytes = 0;  // the length that trials.csv must be cut to
  std::string torn;               // the record without a line end that the cut removes
  bool header_missing = false;    // the header was cut off or never written

  bool operator==(const RecoveredTrials&) const = default;
};

// Reads the text of trials.csv in a run of this plan. Errors call the text `name` and give the line
// and what to do: InvalidArgument for a row that is not of this run, FailedPrecondition for a
// header or a schema version that is not the one of this program.
absl::StatusOr<RecoveredTrials> recover_trials(std::string_view text, std::string_view name,
                                               const RunIdentity& run, const Plan& plan);

struct RecoveredLatency {
  std::string text;                // of latency.csv: header and the rows of `attempts`
  std::string removed;             // the other rows
  std::uint64_t removed_rows = 0;  // including one that was cut off

  bool operator==(const RecoveredLatency&) const = default;
};

// Reads the text of latency.csv; errors are as for recover_trials().
absl::StatusOr<RecoveredLatency> recover_latency(std::string_view text, std::string_view name,
                                                 const RunIdentity& run,
                                                 const std::set<AttemptId>& attempts);

}  // namespace lockbench
