// SPDX-License-Identifier: Apache-2.0

// Replay: whether a net has a firing sequence with the events of a trace.
//
// A trace is a list of events that were seen. An event belongs to a transition, or a kFires event
// with the transition's name. Silent transitions (a thread decides something, or joins a queue) are
// inserted where an event needs them. If several transitions have the same event, each of them is
// tried.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/petri/net/net.h"

namespace lockbench {

struct ReplayResult {
  bool conforms = true;
  std::size_t refused = 0;             // index of the event that the net cannot do
  bool unknown = false;                // the refused event is not an event of this net at all
  bool certain = true;                 // false: refused, but explanations were dropped before
  Marking before;                      // a marking in which the net may be before that event
  std::vector<NetEvent> possible;      // the events that are possible there
  std::vector<std::uint32_t> steps;    // transitions fired, silent ones included
  std::vector<std::uint32_t> unfired;  // transitions with an event that are not in `steps`
};

// O(events · candidates). The first attempt follows one candidate, with the fewest silent
// transitions. If it cannot continue where a relaxed net (relaxation.h) can, the second attempt
// follows kCandidates, and the last one kLookaheadCandidates, with every silent read before each
// event.
inline constexpr std::size_t kCandidates = 64;
inline constexpr std::size_t kLookaheadCandidates = 2048;
ReplayResult replay(const Net& net, std::span<const NetEvent> events);

// A firing sequence for an animation. It prefers transitions that it has fired least often, avoids
// final places while it can, and ends when each transition has fired, or after `most` steps.
std::vector<std::uint32_t> tour(const Net& net, std::size_t most);

}  // namespace lockbench
