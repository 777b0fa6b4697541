// SPDX-License-Identifier: Apache-2.0

// Placement: which of some processors each thread is bound to. Pure.
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

}  // namespace lockbench
