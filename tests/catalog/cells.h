// SPDX-License-Identifier: Apache-2.0

// Cells to ask the catalog about.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/bench/catalog/catalog.h"
#include "harness/bench/plan/spelling.h"

namespace lockbench {

// A cell of one operation by two threads, as users write it.
inline Cell cell_of(const std::string& primitive, const std::string& workload,
                    KeyType key_type = KeyType::kU64) {
  return {.primitive = parse_primitive(primitive).value(),
          .workload = parse_workload(workload).value(),
          .mode = Mode::kFixed,
          .threads = 2,
          .keys = workload.starts_with("nested") || workload == "file_counter" ? 1u : 4u,
          .key_type = key_type,
          .write_share = workload == "read_mostly" ? std::optional(0.5) : std::nullopt,
          .operations = 1};
}

// As `lockbench list` names it: `striped:case=sensitive,lock=std`.
inline std::string name_of(const CatalogEntry& entry) {
  PrimitiveSpec spec{.name = entry.listing.name};
  for (const Choice& choice : entry.listing.choices) {
    spec.parameters[choice.parameter] = choice.value;
  }
  return to_text(spec);
}

inline absl::Status check(const Cell& cell) {
  return Catalog::standard().check(cell).status();
}

}  // namespace lockbench
