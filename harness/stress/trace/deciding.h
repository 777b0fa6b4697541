// SPDX-License-Identifier: Apache-2.0

// Which accesses of an execution that fails come in another order in one that does not fail.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "harness/stress/trace/trace_text.h"

namespace lockbench::stress {

// Positions in the steps of the failing execution: two accesses of different threads to one word,
// of which at least one writes, and which the other execution made in the opposite order. An access
// is the same in both if it is its thread's access of the same number, made at the same source
// line; after the first access of a thread that differs, no more of them are compared. O(accesses
// squared).
std::vector<std::pair<std::size_t, std::size_t>> reordered(const std::vector<TraceStep>& failing,
                                                           const std::vector<TraceStep>& passing);

}  // namespace lockbench::stress
