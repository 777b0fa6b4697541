// SPDX-License-Identifier: Apache-2.0

// Places in source code, by an address in what was compiled from it.
#pragma once

#include <string>
#include <vector>

namespace lockbench::stress {

struct SourcePlace {
  std::string
      file;      // as the compiler was given it, from `primitives/`, `tests/`, … on if it is ours
  int line = 0;  // 0: unknown
  std::string function;

  bool operator==(const SourcePlace&) const = default;
};

// Of each return address the call before it: the innermost one that is not inlined from
// the simulated platform::Atomic, whose functions stand for accesses, or the standard library.
// Without debugging information, or where addr2line is not installed, the function alone.
std::vector<SourcePlace> places_of_calls(const std::vector<const void*>& return_addresses);

// `keyed_mutex.h:120`, or the function.
std::string to_text(const SourcePlace& place);

}  // namespace lockbench::stress
