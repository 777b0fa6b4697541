// SPDX-License-Identifier: Apache-2.0

// HoldChange: the places of an observation whose holds are worth a measurement, and the words by
// which a recording changes them (harness/observe/recorder/changed_holds.h). Pure, but for what is
// written into the header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/observe/observation/expression.h"
#include "harness/observe/observation/observation.h"
#include "harness/observe/recorder/recording.h"

namespace lockbench {

// A place whose holds are less of the program's time together, or gain less of it, is not measured.
inline constexpr double kWorthMeasuringFrom = 0.01;

// One place, in all processes of a program that have it.
struct PlaceToMeasure {
  std::size_t process = 0;         // an index of Observation::processes: the first that has it
  std::size_t place = 0;           // of its places
  std::uint64_t acquisitions = 0;  // of all processes, as are the next two
  std::size_t processes = 0;       // that have it
  double holds_s = 0;              // all holds together, one after the other
  double blocked_s = 0;
  // Upper bound of what holds gain that are a fifth shorter: that fifth, and the waits for all
  // locks. A thread that waits less may not have to sleep at all; and the hold of another lock is
  // shorter, too, if these are inside of it.
  double most_gain_s = 0;
};

// True if it is known who holds its locks: of semaphores and of futexes it is not.
bool has_holds(const ObservedPlace& place);

// At most `most` places: first the one for which threads waited longest, then those with the most
// time in holds. Only those that are worth measuring and, if there is an expression, whose names it
// finds.
std::vector<PlaceToMeasure> places_to_measure(const Observation& observation, std::size_t most,
                                              const Expression* wanted);

// True if holds of the place can look shorter, by pauses of all other threads (recorder/pauses.h):
// one process has the place and did the work, its threads had processors to run on, and they waited
// for each other only where the recorder sees it.
bool can_look_shorter(const Observation& observation, const PlaceToMeasure& place);

// What is done to each hold of a place: one of the two, or nothing.
struct HoldChange {
  std::uint64_t steps = 0;       // of multiply_chain(), by which it gets longer
  std::uint64_t shorter_by = 0;  // percent: it looks so much shorter
};

// From now on, processes that begin to record change each hold of the place. `entry`: below
// Header::kChangedPlaces; entries are used from 0 on. `program`: whose process has the place.
void change_holds(observe::Header& header, std::size_t entry, const ObservedPlace& place,
                  const std::string& program, const HoldChange& change);

// The holds of the place that ended, in all processes of the recording: about (changed_holds.h).
std::uint64_t counted_holds(const observe::Header& header, std::size_t entry);

}  // namespace lockbench
