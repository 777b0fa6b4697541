// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/conformance/processes/possible_traces.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace lockbench::stress::processes {
namespace {

// A process that was killed during the run.
struct Victim {
  std::uint8_t process = 0;
  std::size_t end = 0;              // the event after which it dies
  std::optional<std::size_t> last;  // its own last event
  std::uint32_t holds = 0;          // number of holds that were recorded and not released
  std::optional<Event> pending;     // the request that had not returned when it was killed

  // True if it may have had one hold more than was recorded.
  bool is_unsure(const std::vector<Event>& recorded) const {
    return pending || (last && recorded[*last].kind == Event::kRelease);
  }
};

std::vector<Victim> victims_in(const std::vector<Event>& recorded,
                               const std::vector<std::optional<Event>>& pending) {
  std::vector<Victim> victims;
  for (const Event& event : recorded) {
    if (event.kind != Event::kDie) continue;
    victims.push_back({.process = event.thread, .pending = pending[event.thread]});
  }
  for (Victim& victim : victims) {
    for (std::size_t i = 0; i < recorded.size(); ++i) {
      if (recorded[i].thread != victim.process) continue;
      victim.end = i;
      if (recorded[i].kind == Event::kDie) continue;
      victim.last = i;
      victim.holds += recorded[i].kind == Event::kAcquire ? 1 : -1;
    }
  }
  return victims;
}

Event death_of(const Victim& victim) {
  return {.kind = Event::kDie, .thread = victim.process};
}

// If bit i of `unusual` is set, `unsure[i]` had a hold that was not recorded.
std::vector<Event> trace_of(const std::vector<Event>& recorded, std::vector<Victim> usual,
                            const std::vector<Victim>& unsure, std::size_t unusual) {
  std::vector<Victim> late;  // acquired something that no process acquired after them
  std::vector<bool> left_out(recorded.size());
  for (std::size_t i = 0; i < unsure.size(); ++i) {
    if ((unusual >> i & 1) == 0) continue;
    const auto victim = std::find_if(usual.begin(), usual.end(), [&](const Victim& v) {
      return v.process == unsure[i].process;
    });
    if (victim->pending) {
      late.push_back(*victim);
      usual.erase(victim);
    } else {
      left_out[*victim->last] = true;
      ++victim->holds;
    }
  }
  std::vector<Event> events;
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    if (recorded[i].kind != Event::kDie && !left_out[i]) events.push_back(recorded[i]);
    for (const Victim& victim : usual) {
      if (victim.end == i && victim.holds != 0) events.push_back(death_of(victim));
    }
  }
  for (const Victim& victim : late) {
    events.push_back(as(Event::kAcquire, *victim.pending));
    events.push_back(death_of(victim));
  }
  return events;
}

}  // namespace

std::vector<std::vector<Event>> possible_traces(const std::vector<Event>& recorded,
                                                const std::vector<std::optional<Event>>& pending) {
  const std::vector<Victim> victims = victims_in(recorded, pending);
  std::vector<Victim> unsure;
  std::copy_if(victims.begin(), victims.end(), std::back_inserter(unsure),
               [&](const Victim& victim) { return victim.is_unsure(recorded); });
  if (unsure.size() > kMostUnsure) unsure.resize(kMostUnsure);
  std::vector<std::vector<Event>> traces;
  for (std::size_t unusual = 0; unusual < std::size_t{1} << unsure.size(); ++unusual) {
    traces.push_back(trace_of(recorded, victims, unsure, unusual));
  }
  return traces;
}

}  // namespace lockbench::stress::processes
