// SPDX-License-Identifier: Apache-2.0

// ChangedRuns: a program runs as it is, or with the holds of one place longer, or looking
// shorter.
//
// Guarantees   In each run the holds of all the places are counted; only what is done before their
//              releases differs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/observe/command/program_run.h"
#include "harness/observe/command/treated_place.h"

namespace lockbench {

class ChangedRuns {
 public:
  // `order`: its environment has the library that records. `treated` must outlive this.
  ChangedRuns(ProgramRunOrder order, const std::vector<TreatedPlace>& treated)
      : order_(std::move(order)), treated_(treated) {}

  // The program as it is, and one for each place.
  std::size_t variants() const { return treated_.size() + 1; }

  // The names of what run() returns: `wall_s,cpu_s,printed,pauses_s,holds_1,holds_2`. `pauses_s` is
  // what the time has of pauses.
  std::string columns() const;

  // The fields of a row. `variant`: 0 is the program as it is, the others are the places. Internal:
  // a run failed, or used no lock of the place however often it was tried; InvalidArgument as
  // run_program().
  absl::StatusOr<std::string> run(std::size_t variant) const;

  // Of two further runs, the second with holds of all places twice as long: the least share of its
  // holds that a place had left. A program that runs for a given time does less in the second. 1 if
  // that took a tenth longer: then nobody gave the time.
  absl::StatusOr<double> holds_kept_when_longer() const;

 private:
  struct Done {
    ProgramRun run;
    double pauses_s = 0;
    std::vector<std::uint64_t> holds;  // of each place
  };
  // `changes`: of each place.
  absl::StatusOr<Done> run_with(const std::vector<HoldChange>& changes) const;
  // Absent: no hold was changed.
  absl::StatusOr<std::optional<std::string>> try_run(std::size_t variant) const;

  ProgramRunOrder order_;
  const std::vector<TreatedPlace>& treated_;
};

}  // namespace lockbench
