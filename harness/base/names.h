// SPDX-License-Identifier: Apache-2.0

// Names: one table of the values of an enumeration and their names, for both directions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/base/nearest.h"

namespace lockbench {

template <class E>
struct Named {
  std::string_view name;
  E value;
};

// Empty if the table does not have the value.
template <class E, std::size_t N>
std::string name_of(const Named<E> (&table)[N], E value) {
  for (const Named<E>& entry : table) {
    if (entry.value == value) return std::string(entry.name);
  }
  return {};
}

// The value with this name. An InvalidArgument says which names there are; it calls them `kind`.
template <class E, std::size_t N>
absl::StatusOr<E> parse_name(std::string_view kind, std::string_view text,
                             const Named<E> (&table)[N]) {
  for (const Named<E>& entry : table) {
    if (entry.name == text) return entry.value;
  }
  std::vector<std::string> names;
  for (const Named<E>& entry : table) names.emplace_back(entry.name);
  return unknown_name(kind, text, names);
}

}  // namespace lockbench
