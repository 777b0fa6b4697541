// SPDX-License-Identifier: Apache-2.0

// ListJson: what `lockbench list` shows, for programs.
//
//   {"primitives": [{"name": "striped", "parameters": {"lock": "adaptive"}, "numbers": [...],
//   ...}],
//    "workloads": [...], "presets": [...], "targets": [...]}
//
// A list of its own has its member alone. Members are only ever added. `results/README.md` names
// the same primitives and workloads, as the columns primitive, params, workload and scenario.
#pragma once

#include <string>

#include <absl/status/statusor.h>

#include "harness/catalog/catalog.h"

namespace lockbench {

// `what` as list_command() takes it: one kind, or empty for all. NotFound if presets are wanted and
// their folder is missing.
absl::StatusOr<std::string> list_json(const std::string& what, const Catalog& catalog);

}  // namespace lockbench
