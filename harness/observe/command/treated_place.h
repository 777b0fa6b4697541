// SPDX-License-Identifier: Apache-2.0

// TreatedPlace: a place and what `lockbench whatif` does to each of its holds. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/observe/observation/hold_change.h"
#include "harness/observe/observation/observation.h"
#include "workloads/work.h"

namespace lockbench {

// A place whose holds are changed.
struct TreatedPlace {
  PlaceToMeasure at;
  const ObservedPlace* place = nullptr;
  std::string program;  // whose process has it
  HoldChange change;
  std::uint64_t twice_steps = 0;  // of HoldChange: each hold is twice as long
  double change_ns = 0;           // by which a hold gets longer, or looks shorter, on average
};

// By how much holds change, and whether they may look shorter where that is possible: only the time
// of a program can be told without its pauses.
struct Treatment {
  std::uint64_t percent = 0;
  bool is_of_time = true;
};

// `observation` must outlive the place.
TreatedPlace treated_place(const Observation& observation, const PlaceToMeasure& at,
                           const Treatment& treatment, const SpinPace& pace);

inline bool looks_shorter(const TreatedPlace& place) {
  return place.change.shorter_by != 0;
}
bool some_look_shorter(const std::vector<TreatedPlace>& places);

// `whose holds look 20 % shorter or are longer`.
std::string changes_text(const std::vector<TreatedPlace>& places, std::uint64_t percent);

}  // namespace lockbench
