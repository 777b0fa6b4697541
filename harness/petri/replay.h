// SPDX-License-Identifier: Apache-2.0

// Replay: whether what was seen is something that the net can do.
//
// A trace is a list of events, one for each thing that somebody who watches the code sees. An event
// is a transition's `event`, or its name. Transitions without an event (a thread makes up its mind,
// or joins a queue) happen unseen: they are put in where an event needs them. Where several
// transitions look alike, all that fit are followed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/petri/net.h"

namespace lockbench {

struct Replay {
  bool conforms = true;
  std::size_t refused = 0;             // index of the event that the net refuses
  bool unknown = false;                // it is not an event of this net at all
  bool certain = true;                 // false: refused, but ways that were open were given up
  Marking before;                      // a marking the net may have been in when it was refused
  std::vector<std::string> possible;   // events that would have been possible then
  std::vector<std::uint32_t> steps;    // transitions fired, the unseen ones too
  std::vector<std::uint32_t> untaken;  // transitions that have an event and were not among `steps`
};

// O(events · ways open at once). At first one way is followed, that with the fewest unseen steps,
// which are put in when an event needs them. Should that come to an end, and a net that can do more
// (relaxation.h) be able to go on there, kWaysKept of such ways; and at last kWaysForeseen ways at
// most, with all that can be looked at unseen before each event.
inline constexpr std::size_t kWaysKept = 64;
inline constexpr std::size_t kWaysForeseen = 2048;
Replay replay(const Net& net, std::span<const std::string> events);

// A firing sequence to show: it takes the transitions that it has taken least, leads to no end
// before it must, and is over when each has been taken or at `most` steps.
std::vector<std::uint32_t> tour(const Net& net, std::size_t most);

}  // namespace lockbench
