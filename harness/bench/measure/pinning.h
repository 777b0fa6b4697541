// SPDX-License-Identifier: Apache-2.0

// Pinning: which processor each thread is bound to.
#pragma once

#include <cstdint>
#include <optional>
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
  int rank = 0;           // of its kind of core, from 0, the fastest of the machine
  std::string kind = {};  // the kind's name (core_kinds.h); empty if all cores are of one kind

  bool operator==(const Processor&) const = default;
};

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

// The processor of each of `threads` threads; empty for `none`. Pure.
//   compact     all hardware threads of one core, then of the next core
//   scatter     one hardware thread of each core, then the second one of each core, and so on
//   one-core    all on the first processor
//   0,2,4-7     these, in this order
//   kind:slow   as scatter, on the cores of this kind
//   mixed:2+1   two on the fastest kind of cores, one on the next kind; each as scatter
// Faster cores come before slower ones that are equally good otherwise. Threads beyond the end of
// the list start again at its front. A list may contain allowed processors only.
absl::StatusOr<std::vector<int>> place_threads(std::string_view pinning, std::uint32_t threads,
                                               const std::vector<Processor>& allowed);

// The ranks of the kinds of these processors; empty if all that this process may use are of one
// kind. Pure.
std::vector<int> ranks_of(const std::vector<int>& placed, const std::vector<Processor>& allowed);

// How many of the threads that are bound so run on each kind of core, as `fast 2, slow 1`; empty if
// this process may use one kind alone, or if they are not bound. Pure.
std::string threads_by_kind(const std::vector<int>& placed, const std::vector<Processor>& allowed);

// The first processor of the fastest kind. Pure.
std::optional<int> fastest_of(const std::vector<Processor>& allowed);

// The names of the kinds of cores among these processors, the fastest first; empty if they are one
// kind. Pure.
std::vector<std::string> kinds_among(const std::vector<Processor>& processors);

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

}  // namespace lockbench
