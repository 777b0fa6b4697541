// SPDX-License-Identifier: Apache-2.0

// History: the takes of an epoch, each with its times, and whether a lock can have served them one
// after the other.
//
// The count that a key's holders keep orders its holds; an order of holds is one that the lock can
// have served if no hold was had before the one that comes before it was being given back, and no
// update comes twice. A refusal is one that a lock can have spoken if somebody may have been in the
// way at some moment of the call.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "harness/stress/oracles/failure.h"
#include "harness/stress/threads/shared_state.h"

namespace lockbench::stress::threads {

// A take of one key. Times are of one clock, in nanoseconds.
struct Take {
  std::uint32_t thread = 0;
  std::uint32_t key = 0;
  std::uint32_t lease = 0;
  bool held = false;         // else refused
  bool checked = true;       // a refusal that must have had a reason; or a hold with an update
  std::uint64_t update = 0;  // what the key's count was when the hold began
  std::uint64_t token = 0;   // where there are tokens and holds are limited
  std::int64_t asked = 0;
  std::int64_t answered = 0;
  std::int64_t giving = 0;  // of a hold: its unlock() was about to be called …
  std::int64_t gone = 0;    // … and had returned
};

struct History {
  std::vector<Take> takes;
  // Takes that were asked for from here on may be missing.
  std::int64_t complete_until = std::numeric_limits<std::int64_t>::max();
};

struct Rules {
  std::uint32_t capacity = 1;
  bool lock_per_key = false;  // else any key's takes may be in the way of any other's
  bool strong_try = false;    // a try_lock() that nobody is in the way of must succeed
  bool tokens = false;
  // A hold may be taken away when it is so long past the request; 0: none is. Then the threads
  // themselves check nothing of a hold: it is sure only until its limit, and its updates may be
  // overwritten.
  std::int64_t hold_limit_ns = 0;
};

// The first take that no order explains. Counts kModel for each that was looked at.
std::optional<FailureRecord> contradiction(const History& history, const Rules& rules,
                                           Evaluations& evaluations);

}  // namespace lockbench::stress::threads
