// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/world/polling.h"

namespace lockbench::stress::explore {

bool Polling::compares_at(const void* code) {
  if (code_ == code) return true;
  if (std::has_single_bit(polls_)) {
    code_ = code;
    visits_.clear();
  }
  return false;
}

// GraphSearch asks the same of all code and states, because an execution in which it misses a
// loop does not end. Here a miss costs some steps, and a state more than these: so only one address
// is looked at, and only the last state there is kept. One that counts its polls has as many states
// as an execution has steps.
bool Polling::returns_to(const void* code, std::optional<std::uint64_t> state) {
  const bool returns = state && visits_.last_visit(code, *state);
  visits_.clear();
  if (state) visits_.add(code, *state, polls_);
  return returns;
}

void Polling::pause(std::uint64_t changes) {
  pauses_ = paused_at_ == changes ? pauses_ + 1 : 1;
  paused_at_ = changes;
}

void Polling::pause_certainly(std::uint64_t changes) {
  pauses_ = kPausesUntilSettled;
  paused_at_ = changes;
}

}  // namespace lockbench::stress::explore
