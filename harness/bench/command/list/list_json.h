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
//
// Listed: the names that can be used on the command line. Both forms of the output use this list.
#pragma once

#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/bench/catalog/catalog.h"
#include "harness/bench/command/list/list_section.h"
#include "harness/bench/plan/preset.h"

namespace lockbench {

struct ListedPrimitive {
  std::string name;  // as users write it: `striped:lock=std`; the default choices are left out
  const CatalogEntry* entry = nullptr;
  bool usual = false;  // the name alone means this entry
};

// The entry with the default choices comes first among those with its name.
std::vector<ListedPrimitive> listed_primitives(const Catalog& catalog);

struct ListedPreset {
  std::string name;
  absl::StatusOr<Preset> preset;  // or the error in its file
};

// The presets that are shipped with lockbench. NotFound if their folder is missing.
absl::StatusOr<std::vector<ListedPreset>> listed_presets();

// `what` as list_command() takes it: one kind, or empty for all. NotFound if presets are wanted and
// their folder is missing.
absl::StatusOr<std::string> list_json(const std::string& what, const Catalog& catalog,
                                      const std::vector<ListSection>& sections);

}  // namespace lockbench
