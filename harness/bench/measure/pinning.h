// SPDX-License-Identifier: Apache-2.0

// Pinning: which processor each thread is bound to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

namespace lockbench {

// One hardware thread that this process may run on.
struct Processor {
  int number = 0;   // the kernel's number
  int core = 0;     // hardware threads of one core have the same number
  int cluster = 0;  // cores that share the last cache have the same number
  int package = 0;

  bool operator==(const Processor&) const = default;
};

// The processors that this process may use, within its cpuset. They are in hwloc's order:
// processors that are close in the list share the most.
std::vector<Processor> allowed_processors();

// Why there are none.
std::string why_no_processors();

// The processor of each of `threads` threads; empty for `none`. Pure.
//   compact   all hardware threads of one core, then of the next core
//   scatter   one hardware thread of each core, then the second one of each core, and so on
//   one-core  all on the first processor
//   0,2,4-7   these, in this order
// Threads beyond the end of the list start again at its front. A list may contain allowed
// processors only.
absl::StatusOr<std::vector<int>> place_threads(std::string_view pinning, std::uint32_t threads,
                                               const std::vector<Processor>& allowed);

// place_threads() on this machine. The topology is read at the first call, and again if this
// process may use other processors than at the last one: reading it takes milliseconds.
absl::StatusOr<std::vector<int>> processors_for(std::string_view pinning, std::uint32_t threads);

// The same in a process whose parent has placed the threads: `placed`, if it has a processor for
// each thread and this process may use all of them. Otherwise the processors have changed, and the
// threads are placed again.
absl::StatusOr<std::vector<int>> processors_for(std::string_view pinning, std::uint32_t threads,
                                                const std::vector<int>& placed);

}  // namespace lockbench
