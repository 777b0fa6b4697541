// SPDX-License-Identifier: Apache-2.0

#include "harness/command/list/listed.h"

#include "harness/plan/spelling.h"
#include "harness/process/resources.h"

namespace lockbench {
namespace {

std::string name_of(const CatalogEntry& entry, const CatalogEntry& usual) {
  PrimitiveSpec spec{.name = entry.listing.name};
  for (std::size_t i = 0; i < entry.listing.choices.size(); ++i) {
    const Choice& choice = entry.listing.choices[i];
    if (choice != usual.listing.choices[i]) spec.parameters[choice.parameter] = choice.value;
  }
  return to_text(spec);
}

}  // namespace

std::vector<ListedPrimitive> listed_primitives(const Catalog& catalog) {
  std::vector<ListedPrimitive> listed;
  const CatalogEntry* usual = nullptr;
  for (const CatalogEntry& entry : catalog.entries()) {
    const bool first = usual == nullptr || usual->listing.name != entry.listing.name;
    if (first) usual = &entry;
    listed.push_back({.name = name_of(entry, *usual), .entry = &entry, .usual = first});
  }
  return listed;
}

absl::StatusOr<std::vector<ListedPreset>> listed_presets() {
  const absl::StatusOr<std::vector<std::string>> names = preset_names();
  if (!names.ok()) return names.status();
  std::vector<ListedPreset> listed;
  for (const std::string& name : *names) listed.push_back({name, load_preset(name)});
  return listed;
}

}  // namespace lockbench
