// SPDX-License-Identifier: Apache-2.0

// A preset and a sweep to begin with, and what a status says.
#pragma once

#include <utility>
#include <vector>

#include <absl/status/statusor.h>
#include <gmock/gmock.h>

#include "harness/bench/plan/limits.h"
#include "harness/bench/plan/preset.h"
#include "tests/base/message_of.h"

namespace lockbench {

inline absl::StatusOr<CellTraits> accept_all(const Cell&) {
  return CellTraits{};
}

inline Sweep counter_sweep() {
  Sweep sweep;
  sweep.primitives = {{"global", {}}, {"keyed", {}}};
  sweep.workloads = {{"counter", {}}};
  return sweep;
}

inline Preset preset_of(std::vector<Sweep> sweeps) {
  Preset preset;
  preset.name = "test";
  preset.sweeps = std::move(sweeps);
  return preset;
}

}  // namespace lockbench
