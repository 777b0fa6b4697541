// SPDX-License-Identifier: Apache-2.0

// hold_deeply(): one thread holds a key so often at once that a count of its holds overflows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "harness/stress/litmus/lock_under_test.h"

namespace lockbench::stress {

// A lock that throws with fewer holds is broken. With more, it has reached its greatest depth,
// which the standard lets a recursive mutex have.
inline constexpr std::size_t kLeastDepth = 64;

// Holds key 0 `depth` times at once, and releases it. Another thread must be refused whenever
// `refused()` is called: where a count that is too short for `depth`, or for one less, is 0,
// and while one hold is left. Goes no deeper when `goes_on()` is false, or when the lock throws
// std::system_error. Throws what lock() throws otherwise.
template <class Refused, class GoesOn>
void hold_deeply(LockUnderTest& lock, std::uint32_t depth, const Refused& refused,
                 const GoesOn& goes_on) {
  std::vector<std::unique_ptr<LockHandle>> held;
  try {
    while (held.size() < depth && goes_on()) {
      std::unique_ptr<LockHandle> handle = lock.handle(0);
      handle->lock();
      held.push_back(std::move(handle));
      if (held.size() + 1 >= depth) refused();
    }
  } catch (const std::system_error&) {
    if (held.size() < kLeastDepth) throw;
  }
  const std::size_t deepest = held.size();
  while (!held.empty()) {
    held.back()->unlock();
    held.pop_back();
    if (!held.empty() && (held.size() + 1 == deepest || held.size() == 1)) refused();
  }
}

}  // namespace lockbench::stress
