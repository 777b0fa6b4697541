// SPDX-License-Identifier: Apache-2.0

// ObservationReader: from a recording to an Observation.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "harness/observe/observation/observation.h"
#include "harness/observe/observation/recording_file.h"

namespace lockbench {

struct ObservationClock {
  double ns_per_tick = 1;
  std::uint64_t now_ticks = 0;
};

// The processes, and what the recording itself knows of its coverage. `present`: processes that
// run, or ended just now. Others ended, as far as is known, at their last recorded time. `cost_ns`:
// of an uncontended acquisition.
Observation read_observation(const RecordingFile& recording, const ObservationClock& clock,
                             const std::set<std::uint32_t>& present, double cost_ns);

// The time in which threads of each record have waited so far.
std::map<std::size_t, double> blocked_s_of_each(const RecordingFile& recording,
                                                const ObservationClock& clock);

}  // namespace lockbench
