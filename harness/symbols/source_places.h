// SPDX-License-Identifier: Apache-2.0

// Locations in source code, by the address of the code that was compiled from it.
//
// SourceLines: the source lines that code addresses were compiled from, according to the debug
// information of this program and of the libraries that it has loaded.
//
// Guarantees   Without debug information, or if lockbench was built without libdw, the result is
//              the name of a function, or a file and an offset.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockbench::stress {

class SourceLines {
 public:
  SourceLines();
  ~SourceLines();
  SourceLines(const SourceLines&) = delete;
  SourceLines& operator=(const SourceLines&) = delete;

  // `spin_lock.h:31`: the innermost line of the stack that belongs neither to the harness nor to
  // the platform layer nor to the standard library; with `most` of 2, also its caller:
  // `futex.h:14 < spin_lock.h:31`. `stack` contains return addresses, the innermost first, and ends
  // with a null. Empty if all lines belong to these.
  std::string line_in(std::span<const void* const> stack, std::size_t most = 1);

  // True if the call before this return address was compiled from a source file whose name ends
  // like this, or was inlined into code that was. False without debug information.
  bool comes_from(const void* return_address, std::string_view file_ending);

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

struct SourceLocation {
  std::string file;  // as given to the compiler; our own files from `primitives/`, `tests/`, … on
  int line = 0;      // 0: unknown
  std::string function;

  bool operator==(const SourceLocation&) const = default;
};

// For each return address, the location of the call before it. If the call was inlined, the
// location is the innermost one that is neither in the simulated platform::Atomic, whose functions
// stand for accesses, nor in the standard library. Without debug information, or if addr2line is
// not installed, only the function is known.
std::vector<SourceLocation> locations_of_calls(const std::vector<const void*>& return_addresses);

// `keyed_mutex.h:120`, or the name of the function.
std::string to_text(const SourceLocation& location);

}  // namespace lockbench::stress
