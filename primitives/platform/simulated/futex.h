// SPDX-License-Identifier: Apache-2.0

// Simulated futex: it has the contract of the kernel's. Wake-ups go to the sleepers in their order
// of arrival. The scheduler decides whether a spurious wake-up happens.
#pragma once

#include <cstdint>

#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/simulated/hooks.h"

namespace lockbench::platform {

using FutexWord = Atomic<std::uint32_t>;

inline bool futex_wait(const FutexWord& word, std::uint32_t expected,
                       Time deadline = kForever) noexcept {
  return simulated::wait(&word, expected, deadline.time_since_epoch().count());
}

inline void futex_wake(const FutexWord& word, int count) noexcept {
  simulated::wake(&word, count);
}

}  // namespace lockbench::platform
