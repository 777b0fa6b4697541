// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/observation/lengthening.h"

#include <algorithm>
#include <cstring>

namespace lockbench {
namespace {

// relaxed: the program that reads is started later, and has ended before it is read.
constexpr auto kRelaxed = std::memory_order_relaxed;

// Of semaphores and futexes nobody knows who holds them.
bool has_holds(const ObservedPlace& place) {
  const bool is_held = place.kind == observe::LockKind::kMutex ||
                       place.kind == observe::LockKind::kShared ||
                       place.kind == observe::LockKind::kSpin;
  return is_held && place.hold.samples > 0;
}

const ObservedPlace& place_of(const Observation& observation, const LengthenablePlace& one) {
  return observation.processes[one.process].places[one.place];
}

}  // namespace

double holds_s(const ObservedPlace& place) {
  return place.hold.mean_ns * static_cast<double>(place.acquisitions) / 1e9;
}

std::vector<LengthenablePlace> lengthenable_places(const Observation& observation, std::size_t most,
                                                   const Expression* wanted) {
  std::vector<LengthenablePlace> found;
  for (std::size_t i = 0; i < observation.processes.size(); ++i) {
    const std::vector<ObservedPlace>& places = observation.processes[i].places;
    for (std::size_t k = 0; k < places.size(); ++k) {
      if (!has_holds(places[k])) continue;
      if (wanted != nullptr && !wanted->finds_in(places[k].name())) continue;
      const double time_s = holds_s(places[k]);
      if (time_s < kWorthMeasuringFrom * observation.coverage.window_s) continue;
      found.push_back({.process = i, .place = k, .holds_s = time_s});
    }
  }
  const auto waited_s = [&](const LengthenablePlace& one) {
    return place_of(observation, one).blocked_s;
  };
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.holds_s > b.holds_s; });
  const auto longest =
      std::max_element(found.begin(), found.end(),
                       [&](const auto& a, const auto& b) { return waited_s(a) < waited_s(b); });
  if (longest != found.end()) std::rotate(found.begin(), longest, longest + 1);
  if (found.size() > most) found.resize(most);
  return found;
}

void lengthen(observe::Header& header, std::size_t entry, const ObservedPlace& place,
              std::uint64_t steps) {
  observe::LengthenedPlace& lengthened = header.lengthened[entry];
  for (std::size_t i = 0; i < place.callers.size(); ++i) {
    observe::LengthenedPlace::Caller& caller = lengthened.code[i];
    caller.offset.store(place.callers[i].offset, kRelaxed);
    std::strncpy(caller.path.data(), place.callers[i].module.c_str(), caller.path.size() - 1);
  }
  lengthened.steps.store(steps, kRelaxed);
  lengthened.callers.store(static_cast<std::uint32_t>(place.callers.size()), kRelaxed);
}

std::uint64_t lengthened_holds(const observe::Header& header, std::size_t entry) {
  return header.lengthened[entry].holds.load(kRelaxed);
}

}  // namespace lockbench
