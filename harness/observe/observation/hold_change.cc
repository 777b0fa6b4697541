// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/observation/hold_change.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>

namespace lockbench {
namespace {

// relaxed: the program that reads is started later, and has ended before it is read.
constexpr auto kRelaxed = std::memory_order_relaxed;

// What makes two places of two processes one.
using Code = std::vector<std::pair<std::string, std::uint64_t>>;

Code code_of(const ObservedPlace& place) {
  Code code;
  for (const CodeLocation& caller : place.callers) code.emplace_back(caller.module, caller.offset);
  return code;
}

// Code that no file has (a compiler made it while the program ran) is elsewhere in the next run.
bool is_found_again(const ObservedPlace& place) {
  return std::none_of(place.callers.begin(), place.callers.end(),
                      [](const CodeLocation& caller) { return caller.module.empty(); });
}

}  // namespace

bool has_holds(const ObservedPlace& place) {
  const bool is_held = place.kind == observe::LockKind::kMutex ||
                       place.kind == observe::LockKind::kShared ||
                       place.kind == observe::LockKind::kSpin;
  return is_held && place.hold.samples > 0;
}

std::vector<PlaceToMeasure> places_to_measure(const Observation& observation, std::size_t most,
                                              const Expression* wanted) {
  std::map<Code, PlaceToMeasure> by_code;
  for (std::size_t i = 0; i < observation.processes.size(); ++i) {
    const std::vector<ObservedPlace>& places = observation.processes[i].places;
    for (std::size_t k = 0; k < places.size(); ++k) {
      const ObservedPlace& place = places[k];
      if (!has_holds(place) || !is_found_again(place)) continue;
      if (wanted != nullptr && !wanted->finds_in(place.name())) continue;
      const auto [found, is_new] =
          by_code.try_emplace(code_of(place), PlaceToMeasure{.process = i, .place = k});
      found->second.acquisitions += place.acquisitions;
      ++found->second.processes;
      found->second.holds_s += place.hold.mean_ns * static_cast<double>(place.acquisitions) / 1e9;
      found->second.blocked_s += place.blocked_s;
    }
  }
  std::vector<PlaceToMeasure> found;
  double waits_s = 0;
  for (const ObservedProcess& process : observation.processes) waits_s += process.blocked_s;
  const double least_s = kWorthMeasuringFrom * observation.coverage.window_s;
  for (auto& [code, one] : by_code) {
    one.most_gain_s = 0.2 * one.holds_s + waits_s;
    if (one.holds_s >= least_s && one.most_gain_s >= least_s) found.push_back(one);
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.holds_s > b.holds_s; });
  const auto longest =
      std::max_element(found.begin(), found.end(),
                       [](const auto& a, const auto& b) { return a.blocked_s < b.blocked_s; });
  if (longest != found.end()) std::rotate(found.begin(), longest, longest + 1);
  if (found.size() > most) found.resize(most);
  return found;
}

namespace {

// Of all acquisitions: a thread that tries again waits, and the recorder does not see it.
double failed_tries(const ObservedProcess& process) {
  double failed = 0;
  for (const ObservedPlace& place : process.places) {
    failed += static_cast<double>(place.failed_tries);
  }
  return failed / std::max(1.0, static_cast<double>(process.acquisitions));
}

}  // namespace

bool can_look_shorter(const Observation& observation, const PlaceToMeasure& place) {
  constexpr double kMost = 0.1;  // of the time that does not fit
  const Coverage& coverage = observation.coverage;
  const ObservedProcess& process = observation.processes[place.process];
  return place.processes == 1 && process.processor_s >= (1 - kMost) * coverage.processor_s &&
         coverage.seen_futex_share() >= 1 - kMost && failed_tries(process) <= kMost &&
         coverage.crowded_s <= kMost * coverage.window_s &&
         process.elsewhere_s <= kMost * process.wall_s;
}

void change_holds(observe::Header& header, std::size_t entry, const ObservedPlace& place,
                  const std::string& program, const HoldChange& change) {
  const auto copy = [](const std::string& text, auto& to) {
    std::strncpy(to.data(), text.c_str(), to.size() - 1);
  };
  observe::ChangedPlace& changed = header.changed[entry];
  for (std::size_t i = 0; i < place.callers.size(); ++i) {
    observe::ChangedPlace::Caller& caller = changed.code[i];
    caller.offset.store(place.callers[i].offset, kRelaxed);
    copy(place.callers[i].module, caller.path);
  }
  for (std::size_t i = 0; i < place.addresses.size(); ++i) {
    changed.locks[i].store(place.addresses[i], kRelaxed);
  }
  changed.lock_count.store(static_cast<std::uint32_t>(place.addresses.size()), kRelaxed);
  copy(program, changed.program);
  changed.steps.store(change.steps, kRelaxed);
  changed.shorter_by.store(change.shorter_by, kRelaxed);
  changed.callers.store(static_cast<std::uint32_t>(place.callers.size()), kRelaxed);
}

std::uint64_t counted_holds(const observe::Header& header, std::size_t entry) {
  return header.changed[entry].holds.load(kRelaxed);
}

}  // namespace lockbench
