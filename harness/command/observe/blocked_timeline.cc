// SPDX-License-Identifier: Apache-2.0

#include "harness/command/observe/blocked_timeline.h"

#include <algorithm>
#include <span>

namespace lockbench {

void BlockedTimeline::note(const observe::Recording& recording, const ObservationClock& clock,
                           double at_s) {
  Note note{.at_s = at_s};
  // relaxed: each number is read for itself.
  const std::size_t begun = recording.claimed.load(std::memory_order_relaxed);
  for (const observe::Process& process :
       std::span(recording.processes).first(std::min(begun, recording.processes.size()))) {
    const std::uint64_t start = process.start_ticks.load(std::memory_order_relaxed);
    note.blocked_s.push_back(
        blocked_s(process.blocked, clock.now_ticks - start, clock.ns_per_tick));
  }
  notes_.push_back(std::move(note));
}

std::vector<BlockedPeriod> BlockedTimeline::of(std::size_t record) const {
  std::vector<BlockedPeriod> periods;
  const std::size_t step = notes_.size() / (kMostPeriods + 1) + 1;
  double blocked_before = 0;
  double begin_s = 0;
  for (std::size_t i = step - 1; i < notes_.size(); i += step) {
    const std::vector<double>& noted = notes_[i].blocked_s;
    const double blocked = record < noted.size() ? noted[record] : 0;
    const double length_s = notes_[i].at_s - begin_s;
    periods.push_back(
        {.until_s = notes_[i].at_s,
         .blocked_share = std::clamp((blocked - blocked_before) / length_s, 0.0, 1.0)});
    blocked_before = blocked;
    begin_s = notes_[i].at_s;
  }
  return periods;
}

}  // namespace lockbench
