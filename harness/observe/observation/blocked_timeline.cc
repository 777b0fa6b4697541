// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/observation/blocked_timeline.h"

#include <algorithm>
#include <utility>

namespace lockbench {

void BlockedTimeline::note(std::map<std::size_t, double> blocked_s, double at_s) {
  notes_.push_back({.at_s = at_s, .blocked_s = std::move(blocked_s)});
}

std::vector<BlockedPeriod> BlockedTimeline::of(std::size_t record) const {
  std::vector<BlockedPeriod> periods;
  const std::size_t step = notes_.size() / (kMostPeriods + 1) + 1;
  double blocked_before = 0;
  double begin_s = 0;
  for (std::size_t i = step - 1; i < notes_.size(); i += step) {
    const auto noted = notes_[i].blocked_s.find(record);
    const double blocked = noted == notes_[i].blocked_s.end() ? blocked_before : noted->second;
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
