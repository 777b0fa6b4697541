// SPDX-License-Identifier: Apache-2.0

// SourceLines: the lines of source that addresses of code were compiled from, by the debug
// information of this program and of what it has loaded.
//
// Guarantees   without debug information, or where lockbench was built without libdw, the name of a
//              function or a file and an offset.
#pragma once

#include <memory>
#include <span>
#include <string>

namespace lockbench::stress {

class SourceLines {
 public:
  SourceLines();
  ~SourceLines();
  SourceLines(const SourceLines&) = delete;
  SourceLines& operator=(const SourceLines&) = delete;

  // `spin_lock.h:31`: the innermost place of the stack that is neither of the harness nor of the
  // platform nor of the standard library. `stack` has return addresses, the innermost first; it
  // ends with a null. Empty when all of it is theirs.
  std::string place_in(std::span<const void* const> stack);

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace lockbench::stress
