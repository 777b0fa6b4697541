// SPDX-License-Identifier: Apache-2.0

// What the tests of the plan say of a status, and a sweep to begin with.
#pragma once

#include <string>

#include <absl/status/statusor.h>
#include <gmock/gmock.h>

#include "harness/plan/limits.h"
#include "harness/plan/preset.h"

namespace lockbench {

inline std::string message_of(const absl::Status& status) {
  return status.ok() ? "OK" : std::string(status.message());
}

template <class T>
std::string message_of(const absl::StatusOr<T>& result) {
  return message_of(result.status());
}

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
