// SPDX-License-Identifier: Apache-2.0

// PossibleTraces: what processes may have done, of which some were killed, given what a recorder
// has of them. Pure.
//
// A process that is killed while it is observed to hold dies holding: after the last event that it
// recorded, or after its kDie was recorded, whichever comes later. It may live a little longer, but
// does nothing then that anybody could observe. Two things cannot be observed, and are assumed both
// ways:
//   - it was killed during a request, and may have held the lock: usually it did not;
//   - it was killed after it recorded a release, and may still have held the lock: usually it did
//     not.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "harness/stress/trace/event.h"

namespace lockbench::stress::processes {

// Of more than so many processes that were killed in such a moment, the others did as usual.
inline constexpr std::size_t kMostUnsure = 4;

// The events in their order, for each combination; the usual one comes first. `pending`: of each
// process, the request that had not returned when it ended.
std::vector<std::vector<Event>> possible_traces(const std::vector<Event>& recorded,
                                                const std::vector<std::optional<Event>>& pending);

}  // namespace lockbench::stress::processes
