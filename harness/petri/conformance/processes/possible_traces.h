// SPDX-License-Identifier: Apache-2.0

// PossibleTraces: the traces that a run with killed processes may have had, according to the events
// that a recorder has stored. Pure.
//
// If a process is killed while it is recorded as a holder, it dies as a holder. Its death comes
// after the last event that it recorded or after its kDie was recorded, whichever is later. It may
// run a little longer, but does nothing in that time that can be seen. Two facts cannot be
// seen, so both possibilities are tried:
//   - It was killed during a request and may have held the lock. Usually it did not.
//   - It was killed after it recorded a release and may still have held the lock. Usually it did
//     not.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "harness/stress/trace/event.h"

namespace lockbench::stress::processes {

// If more processes were killed at such a moment, the usual possibility is assumed for the others.
inline constexpr std::size_t kMostUnsure = 4;

// The events in order, for each combination; the usual one comes first. `pending`: for each
// process, the request that had not returned when the process ended.
std::vector<std::vector<Event>> possible_traces(const std::vector<Event>& recorded,
                                                const std::vector<std::optional<Event>>& pending);

}  // namespace lockbench::stress::processes
