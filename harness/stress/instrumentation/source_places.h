// SPDX-License-Identifier: Apache-2.0

// Places in source code, by the address of the code that was compiled from it.
#pragma once

#include <string>
#include <vector>

namespace lockbench::stress {

struct SourcePlace {
  std::string file;  // as given to the compiler; our own files from `primitives/`, `tests/`, … on
  int line = 0;      // 0: unknown
  std::string function;

  bool operator==(const SourcePlace&) const = default;
};

// For each return address, the place of the call before it. If the call was inlined, the place is
// the innermost one that is neither in the simulated platform::Atomic, whose functions stand for
// accesses, nor in the standard library. Without debug information, or if addr2line is not
// installed, only the function is known.
std::vector<SourcePlace> places_of_calls(const std::vector<const void*>& return_addresses);

// `keyed_mutex.h:120`, or the name of the function.
std::string to_text(const SourcePlace& place);

}  // namespace lockbench::stress
