// SPDX-License-Identifier: Apache-2.0

// Stall: determines why stalled threads cannot make progress: they wait for each other in a cycle,
// a key waits for another key, or a wake-up was lost. Pure.
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
  std::optional<std::uint32_t> awaits_end;  // waits for the end of this thread
  // Inside of its call it waits for a mutex that this thread holds, perhaps itself.
  std::optional<std::uint32_t> awaits_mutex_of;
  // may_be_refused: the request is try_lock() or try_lock_for(). timed: it is try_lock_for().
  bool may_be_refused = false;
  bool timed = false;
  // The thread polls without sleeping; absent if unknown.
  std::optional<bool> spins = {};

  bool waits() const { return doing.kind == Event::kRequest; }
  bool ended() const { return doing.kind == Event::kEnd; }
};

// The keys that another thread could acquire with try_lock() during the stall.
struct Probe {
  std::uint64_t free_keys = 0;  // one bit each
  std::uint32_t untouched = 0;  // a key that no thread of the program uses
};

struct StallFacts {
  // Absent if no thread could try the keys, or if the attempt itself did not return.
  std::optional<Probe> probe;
  // True if any request met another one; absent if that is not known exactly. If no other thread
  // was there, a waiting thread can only wait for itself.
  std::optional<bool> contended;
  // The keys that any thread ever acquired, one bit each; absent if that is not known. A release of
  // another key cannot be lost.
  std::optional<std::uint64_t> granted_keys = {};
};

Failure explain_stall(const std::vector<ThreadPosition>& threads, const Abilities& abilities,
                      const StallFacts& facts);

// The call of `trying` does not return, though it may be refused and must not wait any longer.
Failure unanswered(const ThreadPosition& trying, const std::vector<ThreadPosition>& threads);

// `thread 2 waits for key 1, holds key 0`.
std::string to_text(const ThreadPosition& position);

}  // namespace lockbench::stress
