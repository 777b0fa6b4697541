// SPDX-License-Identifier: Apache-2.0

// Recovery: which parts of a run's files to keep, wherever its writer was stopped. Pure: texts in,
// decisions out.
//
// A trial is done when a row of it in trials.csv is whole. Each attempt at it has its row there,
// written last: the rows in latency.csv of any other attempt are left over from one that was cut
// short. A killed writer leaves at most one record without a line end, the last of a file. Anything
// else that is wrong is an error: no row that may be good is ever removed.
#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "harness/record/row.h"

namespace lockbench {

struct AttemptId {
  std::uint32_t trial = 0;
  std::uint32_t attempt = 0;

  auto operator<=>(const AttemptId&) const = default;
};

struct RecoveredTrials {
  std::set<std::uint32_t> done;   // numbers of the trials that have a row
  std::set<AttemptId> attempts;   // that have theirs
  std::uint64_t whole_bytes = 0;  // to which trials.csv is to be cut
  std::string torn;               // the record without a line end that this removes
  bool header_missing = false;    // it is torn or was never written

  bool operator==(const RecoveredTrials&) const = default;
};

// Of the text of trials.csv in a run of this plan. `name` stands for it in errors, each of
// which says line and remedy: InvalidArgument for a row that is not the run's, FailedPrecondition
// for a header or a schema version that is not ours.
absl::StatusOr<RecoveredTrials> recover_trials(std::string_view text, std::string_view name,
                                               const RunIdentity& run, const Plan& plan);

struct RecoveredLatency {
  std::string text;                // of latency.csv, header and the rows of `attempts`
  std::string removed;             // the other rows
  std::uint64_t removed_rows = 0;  // a torn one included

  bool operator==(const RecoveredLatency&) const = default;
};

// Of the text of latency.csv; errors as above.
absl::StatusOr<RecoveredLatency> recover_latency(std::string_view text, std::string_view name,
                                                 const RunIdentity& run,
                                                 const std::set<AttemptId>& attempts);

}  // namespace lockbench
