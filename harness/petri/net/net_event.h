// SPDX-License-Identifier: Apache-2.0

// NetEvent: what an observer of the code sees when a transition fires: a thread, its action, and
// the lock that it does it with.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace lockbench {

struct NetEvent {
  enum Verb : std::uint8_t {
    kFires,  // an event without a thread, in a net that is not about threads and locks
    kAcquires,
    kReleases,
    kShares,  // acquires a shared hold
    kStopsSharing,
    kClears,  // removes what a dead owner left
    kDies,
    kExpires,
    kReads,
    kWrites,
    kIsRefused,
  };

  std::uint32_t thread = 0;  // from 1; 0 with kFires
  Verb verb = kFires;
  std::string lock;  // with kFires the event's name; empty where the verb names no lock

  auto operator<=>(const NetEvent&) const = default;
};

// `thread 1 acquires a`, the form in traces and PNML documents.
std::string text_of(const NetEvent& event);

// The inverse of text_of(). Text of any other form is the name of a kFires event. Traces of earlier
// versions, with `takes` and `lets go of`, are read as well.
NetEvent parse_event(const std::string& text);

}  // namespace lockbench
