// SPDX-License-Identifier: Apache-2.0

// PlaceTable: the places of this process, by their callers.
//
// Guarantees   A place is found by the program or library of its callers and their addresses there,
//              so a library that is loaded where another one was has its own places. There is room
//              for Layout::kPlaces.
#pragma once

#include "harness/observe/recorder/callers.h"
#include "harness/observe/recorder/mapped_recording.h"
#include "harness/observe/recorder/recording.h"

namespace lockbench::observe {

// The number of the place; 0: there is no room.
std::uint32_t place_number(Process& process, const Callers& callers, LockKind kind);

// The place with the callers of `place` and another kind.
std::uint32_t place_number(Process& process, const Place& place, LockKind kind);

// nullptr for 0.
inline Place* place_at(std::uint32_t number) {
  return number == 0 ? nullptr : MappedRecording::place(number);
}

}  // namespace lockbench::observe
