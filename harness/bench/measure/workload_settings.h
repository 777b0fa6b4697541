// SPDX-License-Identifier: Apache-2.0

// The settings that the workload of a trial runs with, except for the server, which is not part of
// the trial.
#pragma once

#include "harness/bench/plan/cell.h"
#include "workloads/settings.h"

namespace lockbench {

inline WorkloadSettings workload_settings(const Trial& trial) {
  const Cell& cell = trial.cell;
  return {.threads = cell.threads,
          .keys = cell.keys,
          .key_distribution = cell.key_distribution,
          .hold = cell.hold,
          .write_share = cell.write_share.value_or(1),
          .timeout = cell.timeout,
          .operations = cell.mode == Mode::kFixed ? cell.operations : 0,
          .scenario = cell.workload.scenario,
          .watch_conflicts = cell.watch_conflicts,
          .server = {},
          .seed = trial.seed};
}

}  // namespace lockbench
