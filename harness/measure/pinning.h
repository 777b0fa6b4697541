// SPDX-License-Identifier: Apache-2.0

// Pinning: which processor each thread is bound to.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

namespace lockbench {

// One hardware thread that this process may run on.
struct Processor {
  int number = 0;  // as the kernel counts them
  int core = 0;    // hardware threads of one core share this

  bool operator==(const Processor&) const = default;
};

// The processors that this process may use (its cpuset respected), in the order in which hwloc
// walks the machine: neighbours share most.
std::vector<Processor> allowed_processors();

// How many of them there are; at least 1.
std::uint32_t usable_processors();

// The processor of each of `threads` threads; empty for `none`. Pure.
//   compact   fills one core's hardware threads, then the next core's
//   scatter   one thread a core, round by round
//   one-core  all on the first processor
//   0,2,4-7   these, in this order
// Threads beyond the list start over at its front. A list may name allowed processors only.
absl::StatusOr<std::vector<int>> place_threads(std::string_view pinning, std::uint32_t threads,
                                               const std::vector<Processor>& allowed);

// place_threads() on this machine.
absl::StatusOr<std::vector<int>> processors_for(std::string_view pinning, std::uint32_t threads);

}  // namespace lockbench
