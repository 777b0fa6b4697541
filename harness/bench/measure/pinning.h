// SPDX-License-Identifier: Apache-2.0

// Pinning: which processor each thread is bound to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/bench/measure/placement.h"

struct hwloc_topology;

namespace lockbench {

// The processors that this process may use, within its cpuset. They are in hwloc's order:
// processors that are close in the list share the most.
std::vector<Processor> allowed_processors();

// Where the threads of a trial are bound.
struct Placement {
  std::vector<int> processors;  // of each thread; empty: they are not bound
  // The rank of each thread's kind of core, from 0, the fastest of the machine; empty if this
  // process may use one kind alone.
  std::vector<int> ranks;
  // A processor of the fastest kind; absent if there is one kind.
  std::optional<int> fast_processor = {};

  bool operator==(const Placement&) const = default;
};

// Why allowed_processors() is empty.
std::string why_no_processors();

// allowed_processors(), read at the first call, and again if this process may use other processors
// than at the last one: reading the topology takes milliseconds.
std::vector<Processor> processors_here();

// place_threads() on this machine, with processors_here().
absl::StatusOr<std::vector<int>> processors_for(std::string_view pinning, std::uint32_t threads);

// The same with the kinds of cores; without processors if the threads are not bound or cannot be
// placed.
Placement placement_for(std::string_view pinning, std::uint32_t threads);

// The same in a process whose parent has placed the threads: `placed`, if it has a processor for
// each thread and this process may use all of them. Otherwise the processors have changed, and the
// threads are placed again.
absl::StatusOr<std::vector<int>> processors_for(std::string_view pinning, std::uint32_t threads,
                                                const std::vector<int>& placed);

namespace internal {

// Those of a topology that are in `allowed`, which ascends. Pure.
std::vector<Processor> processors_in(hwloc_topology* topology, const std::vector<int>& allowed);

}  // namespace internal

}  // namespace lockbench
