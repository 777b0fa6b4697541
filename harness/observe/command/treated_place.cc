// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/command/treated_place.h"

#include <algorithm>
#include <cmath>

#include <absl/strings/str_cat.h>

namespace lockbench {
namespace {

std::uint64_t steps_for(double ns, const SpinPace& pace) {
  const double steps = std::round((ns - pace.entry_ns) * pace.steps_per_ns);
  return static_cast<std::uint64_t>(std::max(1.0, steps));
}

}  // namespace

TreatedPlace treated_place(const Observation& observation, const PlaceToMeasure& at,
                           const Treatment& treatment, const SpinPace& pace) {
  const ObservedProcess& process = observation.processes[at.process];
  const ObservedPlace& place = process.places[at.place];
  const double wanted_ns = place.hold.mean_ns * static_cast<double>(treatment.percent) / 100;
  TreatedPlace one{.at = at, .place = &place, .program = process.program};
  one.twice_steps = steps_for(place.hold.mean_ns, pace);
  const bool is_possible = treatment.percent <= 100 && treatment.is_of_time;
  if (is_possible && can_look_shorter(observation, at)) {
    one.change.shorter_by = treatment.percent;
    one.change_ns = wanted_ns;
    return one;
  }
  one.change.steps = steps_for(wanted_ns, pace);
  one.change_ns = static_cast<double>(one.change.steps) / pace.steps_per_ns + pace.entry_ns;
  return one;
}

bool some_look_shorter(const std::vector<TreatedPlace>& places) {
  return std::any_of(places.begin(), places.end(), looks_shorter);
}

std::string changes_text(const std::vector<TreatedPlace>& places, std::uint64_t percent) {
  const bool shorter = some_look_shorter(places);
  const bool longer = !std::all_of(places.begin(), places.end(), looks_shorter);
  return absl::StrCat("whose holds ", shorter ? "look " : "are ", percent, " % ",
                      shorter ? "shorter" : "longer", shorter && longer ? " or are longer" : "");
}

}  // namespace lockbench
