// SPDX-License-Identifier: Apache-2.0

// The properties that targets check.
#pragma once

#include <cstdio>
#include <cstdlib>

#include <absl/status/statusor.h>

namespace lockbench::fuzz {

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

template <class T>
bool accepted(const absl::StatusOr<T>& parsed) {
  if (!parsed.ok()) require(!parsed.status().message().empty(), "an error says what is wrong");
  return parsed.ok();
}

// A value that `parse` accepts is equal after it is printed and parsed again.
template <class Parse, class Print>
void require_round_trip(std::string_view text, const Parse& parse, const Print& print) {
  const auto value = parse(text);
  if (!accepted(value)) return;
  const auto again = parse(print(*value));
  require(again.ok() && *again == *value, "what is accepted is equal after print and parse");
}

}  // namespace lockbench::fuzz
