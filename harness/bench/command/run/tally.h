// SPDX-License-Identifier: Apache-2.0

// Tally: counts how the trials of a run ended, for the summary at its end. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "harness/bench/plan/cell.h"
#include "harness/bench/record/measurement.h"

namespace lockbench {

class Tally {
 public:
  // `last`: the last attempt at the trial.
  void add(const Trial& trial, const Measurement& last);

  // The cells whose medians were still wider than `precision` when the budget ended. The first few
  // are named.
  void note_imprecise(std::span<const Cell> cells, double precision);

  // "60 trials, all valid", or the number of valid ones and a line for each kind of error:
  //
  //   4 trials, 3 of them valid
  //     1 × lease:leases=2, checkout:second_lease: deadlock: no thread ended an operation for 2 s
  std::string text() const;

  std::size_t trials() const { return trials_; }

 private:
  struct Trouble {
    std::size_t trials = 0;
    std::string reason;  // of the last one
  };

  std::size_t trials_ = 0;
  std::size_t valid_ = 0;
  std::string imprecise_;
  std::map<std::pair<std::string, Outcome>, Trouble> troubles_;  // by primitive and workload
};

// The tally of all trials that have a row. `rows`: of trials of `plan`, the attempts at each in
// their order.
Tally tally_of(const Plan& plan, std::span<const Measurement> rows);

}  // namespace lockbench
