// SPDX-License-Identifier: Apache-2.0

// TraceStep: one line of what is shown to people of a failure: what a thread did with the lock, or
// what the lock did with a shared word.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/stress/trace/event.h"

namespace lockbench::stress {

struct TraceStep {
  std::uint64_t at = 0;     // steps of a simulation, else nanoseconds since the epoch began
  std::int32_t thread = 0;  // or process; kMainThread: the one that starts and awaits the others
  std::string text;         // `acquires key 0`, `changes lock+0: 0 → 1 (acquire)`
  std::string act = {};     // `acquires`, `changes`: what kind of step it is, for programs
  std::vector<std::uint32_t> keys = {};  // of an act with the lock
  std::string place = {};  // in the source: `spin_lock.h:31`; empty where it is not known
  bool access = false;     // of a shared word, by the lock
  bool wrong = false;      // here it went wrong
  // Of an access, as far as it has them:
  std::string word = {};
  std::string was = {};
  std::string now = {};
  std::string order = {};

  bool operator==(const TraceStep&) const = default;
};

inline constexpr std::int32_t kMainThread = -1;

// The events in the order of their times, which are counted from `began`.
std::vector<TraceStep> steps_of(std::vector<TimedEvent> events, std::uint64_t began);
TraceStep step_of(const TimedEvent& event);

// `step 12, thread 1 acquires key 0`, one line for each; accesses are indented.
std::vector<std::string> to_text(const std::vector<TraceStep>& steps);

}  // namespace lockbench::stress
