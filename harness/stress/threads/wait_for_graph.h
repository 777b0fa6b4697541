// SPDX-License-Identifier: Apache-2.0

// WaitsFor: what a standstill is: threads that wait for each other in a circle, a key that waits
// for another key, or a wake-up that was lost. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/stress/oracles/failure.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/threads/shared_state.h"

namespace lockbench::stress::threads {

struct ThreadPosition {
  std::uint32_t thread = 0;
  Deed doing;
  std::vector<Deed> holds;

  bool waits() const { return doing.what == Deed::kWants; }
};

// Which keys could be had at the standstill, by try_lock() of a thread that stood untracked.
struct Probe {
  std::uint64_t free_keys = 0;  // a bit each
  std::uint32_t untouched = 0;  // a key that no thread ever uses
};

// The probe is absent when it stood still itself.
Failure explain_stall(const std::vector<ThreadPosition>& threads, const Abilities& abilities,
                      std::optional<Probe> probe);

// `key 3`, `keys 1 and 2`, `key 3 (lease 1)`.
std::string name_of_keys(const Deed& deed);

// `thread 2 waits for key 1, holds key 0`.
std::string text_of(const ThreadPosition& standing);

ThreadPosition position_from(std::uint32_t thread, const PositionWords& words);

}  // namespace lockbench::stress::threads
