// SPDX-License-Identifier: Apache-2.0

// Listed: what can be named on the command line, for people and for programs. Both show the same.
#pragma once

#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/catalog/catalog.h"
#include "harness/plan/preset.h"

namespace lockbench {

struct ListedPrimitive {
  std::string name;  // as it is written: `striped:lock=std`; the usual choices are left out
  const CatalogEntry* entry = nullptr;
  bool usual = false;  // the name alone means this entry
};

// Of each name the usual choices come first.
std::vector<ListedPrimitive> listed_primitives(const Catalog& catalog);

struct ListedPreset {
  std::string name;
  absl::StatusOr<Preset> preset;  // or what is wrong with its file
};

// Those that come with lockbench. NotFound if their folder is missing.
absl::StatusOr<std::vector<ListedPreset>> listed_presets();

}  // namespace lockbench
