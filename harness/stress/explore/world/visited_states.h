// SPDX-License-Identifier: Apache-2.0

// VisitedStates: at which addresses of the code one thread was about to read, and in which states
// (caller_state.h). If it comes to one in a state in which it was there before, and neither it
// nor memory has changed in between, it repeats itself until another store is there to read.
//
// Not offered  Knowledge of what has changed: the caller clears the visits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace lockbench::stress::explore {

class VisitedStates {
 public:
  void clear() { visits_.clear(); }

  // `done` is how much the thread had done by then, as the caller counts it.
  void add(const void* code, std::uint64_t state, std::uint32_t done) {
    visits_.push_back({code, state, done});
  }

  // How much it had done at its last visit to this code in this state; absent if there was none.
  std::optional<std::uint32_t> last_visit(const void* code, std::uint64_t state) const {
    const auto last = std::find_if(visits_.rbegin(), visits_.rend(), [=](const Visit& visit) {
      return visit.code == code && visit.state == state;
    });
    return last == visits_.rend() ? std::nullopt : std::optional(last->done);
  }

 private:
  struct Visit {
    const void* code;
    std::uint64_t state;
    std::uint32_t done;
  };

  std::vector<Visit> visits_;
};

}  // namespace lockbench::stress::explore
