// SPDX-License-Identifier: Apache-2.0

// ListJson: the output of `lockbench list` for programs.
//
//   {"primitives": [{"name": "striped", "parameters": {"lock": "adaptive"}, "numbers": [...],
//   ...}],
//    "workloads": [...], "presets": [...], "targets": [...],
//    "machines": [...]}
//
// The list of one kind has that member alone. Later versions only add members. `results/README.md`
// uses the same names of primitives and workloads in the columns primitive, params, workload and
// scenario.
#pragma once

#include <string>

#include <absl/status/statusor.h>

#include "harness/catalog/catalog.h"

namespace lockbench {

// `what` as list_command() takes it: one kind, or empty for all. NotFound if presets are wanted and
// their folder is missing.
absl::StatusOr<std::string> list_json(const std::string& what, const Catalog& catalog);

}  // namespace lockbench
