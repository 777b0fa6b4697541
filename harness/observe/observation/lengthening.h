// SPDX-License-Identifier: Apache-2.0

// Lengthening: the places of an observation whose holds are worth a measurement, and the words by
// which a recording makes them longer (harness/observe/recorder/lengthened.h). Pure, but for what
// is written into the header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/observe/observation/expression.h"
#include "harness/observe/observation/observation.h"
#include "harness/observe/recorder/recording.h"

namespace lockbench {

// A place whose holds are less of the program's time together is not measured.
inline constexpr double kWorthMeasuringFrom = 0.01;

// One place, in all processes of a program that have it.
struct LengthenablePlace {
  std::size_t process = 0;         // an index of Observation::processes: the first that has it
  std::size_t place = 0;           // of its places
  std::uint64_t acquisitions = 0;  // of all processes, as are the next two
  double holds_s = 0;              // all holds together, one after the other
  double blocked_s = 0;
};

// True if it is known who holds its locks: of semaphores and of futexes it is not.
bool has_holds(const ObservedPlace& place);

// At most `most` places: first the one for which threads waited longest, then those with the most
// time in holds. Only those whose holds are worth measuring and, if there is an expression, whose
// names it finds.
std::vector<LengthenablePlace> lengthenable_places(const Observation& observation, std::size_t most,
                                                   const Expression* wanted);

// From now on, processes that begin to record make each hold of the place longer by `steps` of
// multiply_chain(). `entry`: below Header::kLengthened; entries are used from 0 on. `program`:
// whose process has the place.
void lengthen(observe::Header& header, std::size_t entry, const ObservedPlace& place,
              const std::string& program, std::uint64_t steps);

// The holds of the place that ended, in all processes of the recording: about (lengthened.h).
std::uint64_t lengthened_holds(const observe::Header& header, std::size_t entry);

}  // namespace lockbench
