// SPDX-License-Identifier: Apache-2.0

// Row: one trial as it stands in trials.csv, before it is text.
#pragma once

#include <cstdint>
#include <string>

#include "harness/measure/sample.h"
#include "harness/plan/cell.h"

namespace lockbench {

// Version of the columns of trials.csv and latency.csv and of the shape of meta.json. It goes up
// when a column changes its meaning, its place or its name, or goes away; not when one is added at
// the end.
inline constexpr std::uint32_t kSchemaVersion = 1;

// What every row of a run has in common.
struct RunIdentity {
  std::uint32_t schema_version = kSchemaVersion;
  std::string run_id;        // unique among the runs that a reader may ever lay side by side
  std::string preset;        // name, or "command line"
  std::string target;        // machine class that the preset is sized for; empty: any
  std::string machine = {};  // that measured it: Machine::id; empty: unknown

  bool operator==(const RunIdentity&) const = default;
};

struct Row {
  RunIdentity run;
  Trial trial;
  Sample sample;
  std::uint32_t attempt = 0;  // of this trial, from 0: a disturbed one is measured again
  std::string started_at;     // UTC, ISO 8601: 2025-01-31T23:59:59Z

  // Only then may its figures be shown. A limit of the machine guards nothing, so that there is
  // nothing to prove: it is valid when it ended well.
  bool valid() const {
    const bool limit = trial.cell.mode == Mode::kMicro && trial.cell.workload.name == "limit";
    return sample.valid() || (limit && sample.outcome == Outcome::kOk);
  }

  bool operator==(const Row&) const = default;
};

}  // namespace lockbench
