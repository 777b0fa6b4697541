// SPDX-License-Identifier: Apache-2.0

// Lengthening: which places of an observation have holds whose worth can be measured, and how a
// recording is told to make them longer (harness/observe/recorder/lengthened.h). Pure, but for what
// is written into the header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/observe/observation/expression.h"
#include "harness/observe/observation/observation.h"
#include "harness/observe/recorder/recording.h"

namespace lockbench {

// Holds that are less of the program's time together are not worth a measurement: without them, it
// would gain no more.
inline constexpr double kWorthMeasuringFrom = 0.01;

struct LengthenablePlace {
  std::size_t process = 0;  // an index of Observation::processes
  std::size_t place = 0;    // of its places
  double holds_s = 0;       // of all its holds together, one after the other
};

// The time that the program's threads held locks of this place, by the mean of the holds that were
// timed.
double holds_s(const ObservedPlace& place);

// At most `most` places: first the one for which threads waited longest, then those with the most
// time in holds. Only those whose holds are worth measuring and, if there is an expression, whose
// names it finds.
std::vector<LengthenablePlace> lengthenable_places(const Observation& observation, std::size_t most,
                                                   const Expression* wanted);

// From now on, processes that begin to record make each hold of the place longer by `steps` of
// multiply_chain(). `entry`: below Header::kLengthened; entries are used from 0 on.
void lengthen(observe::Header& header, std::size_t entry, const ObservedPlace& place,
              std::uint64_t steps);

// The holds of the place that ended, in all processes of the recording.
std::uint64_t lengthened_holds(const observe::Header& header, std::size_t entry);

}  // namespace lockbench
