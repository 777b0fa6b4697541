// SPDX-License-Identifier: Apache-2.0

// ForeignProcess: what /proc says of a process that runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/observe/attach/futex_trace.h"
#include "harness/symbols/debug_information.h"

namespace lockbench {

class ForeignProcess {
 public:
  explicit ForeignProcess(std::uint32_t pid) : pid_(pid) {}

  bool exists() const;
  std::string program() const;  // its path; empty: unknown
  std::uint32_t parent() const;
  std::uint32_t threads() const;
  double processor_s() const;  // so far

  // Its root folder, as it is found from here. The names of its files begin there.
  std::string root() const;

  // Programs and libraries, as they are found from here.
  std::vector<stress::LoadedFile> files() const;

  // Threads that sleep in a futex now, with what their stacks hold. Their frame pointers are not
  // known.
  std::vector<FutexStack> asleep() const;

 private:
  std::string folder() const;

  std::uint32_t pid_;
};

}  // namespace lockbench
