// SPDX-License-Identifier: Apache-2.0

// Row: one trial as it is written to trials.csv, before it is converted to text; and the names of
// its outcomes there.
#pragma once

#include <cstdint>
#include <string>

#include "harness/base/names.h"
#include "harness/bench/measure/sample.h"
#include "harness/bench/plan/cell.h"

namespace lockbench {

inline constexpr Named<Outcome> kOutcomeNames[] = {
    {"ok", Outcome::kOk},           {"deadlock", Outcome::kDeadlock},
    {"timeout", Outcome::kTimeout}, {"crashed", Outcome::kCrashed},
    {"failed", Outcome::kFailed},   {"service_lost", Outcome::kServiceLost},
    {"starved", Outcome::kStarved},
};

// Version of the columns of trials.csv and latency.csv and of the structure of meta.json. It
// increases if a column changes its meaning, its position or its name, or is removed. It does not
// increase if a column is added at the end.
inline constexpr std::uint32_t kSchemaVersion = 1;

// The values that all rows of a run share.
struct RunIdentity {
  std::uint32_t schema_version = kSchemaVersion;
  std::string run_id;        // unique among all runs that a reader may compare
  std::string preset;        // name, or "command line"
  std::string target;        // class of machine that the preset is sized for; empty: any
  std::string machine = {};  // Machine::id of the machine that measured it; empty: unknown

  bool operator==(const RunIdentity&) const = default;
};

struct Row {
  RunIdentity run;
  Trial trial;
  Sample sample;
  std::uint32_t attempt = 0;         // of this trial, from 0: a disturbed trial is measured again
  std::string threads_by_kind = {};  // of cores: `fast 2, slow 1` (pinning.h)
  std::string started_at;            // UTC, ISO 8601: 2025-01-31T23:59:59Z

  // Only the figures of a valid row may be shown. A limit of the machine guards nothing, so there
  // is nothing to prove: it is valid if it ended normally.
  bool valid() const {
    const bool limit = trial.cell.mode == Mode::kMicro && trial.cell.workload.name == "limit";
    return sample.valid() || (limit && sample.outcome == Outcome::kOk);
  }

  bool operator==(const Row&) const = default;
};

}  // namespace lockbench
