// SPDX-License-Identifier: Apache-2.0

// Stall: why threads that stand still cannot go on: they wait for each other in a cycle, a key
// waits for another key, or a wake-up was lost. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/stress/litmus/lock_under_test.h"
#include "harness/stress/oracles/failure.h"
#include "harness/stress/trace/event.h"

namespace lockbench::stress {

struct ThreadPosition {
  std::uint32_t thread = 0;
  Event doing;  // the last event
  std::vector<Event> holds;
  std::optional<std::uint32_t> awaits_end;  // of this thread
  // The request is one of try_lock() or try_lock_for(), or of the second.
  bool may_be_refused = false;
  bool timed = false;
  // It looks again and again and does not sleep; absent where that is not known.
  std::optional<bool> spins = {};

  bool waits() const { return doing.kind == Event::kRequest; }
  bool ended() const { return doing.kind == Event::kEnd; }
};

// Which keys another thread could acquire by try_lock() during the stall.
struct Probe {
  std::uint64_t free_keys = 0;  // one bit each
  std::uint32_t untouched = 0;  // a key that no thread of the program uses
};

struct StallFacts {
  // Absent where no thread could probe, or the probe itself did not return.
  std::optional<Probe> probe;
  // Whether some request met another one; absent where that is not known exactly. If nobody else
  // was there, a thread that waits can only wait for itself.
  std::optional<bool> contended;
};

Failure explain_stall(const std::vector<ThreadPosition>& threads, const Abilities& abilities,
                      const StallFacts& facts);

// `thread 2 waits for key 1, holds key 0`.
std::string to_text(const ThreadPosition& position);

}  // namespace lockbench::stress
