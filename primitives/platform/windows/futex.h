// SPDX-License-Identifier: Apache-2.0

// The futex of Windows 8 and newer: WaitOnAddress.
//
// Requires     synchronization.lib (-lsynchronization), which lockbench::primitives links.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/errno.h"
#include "primitives/platform/one_platform.h"

// As <synchapi.h> declares them; errno.h says why it is not included.
extern "C" {
__declspec(dllimport) int __stdcall WaitOnAddress(volatile void*, void*, unsigned long long,
                                                  unsigned long);
__declspec(dllimport) void __stdcall WakeByAddressSingle(void*);
__declspec(dllimport) void __stdcall WakeByAddressAll(void*);
}

namespace lockbench::platform {

using FutexWord = Atomic<std::uint32_t>;
static_assert(sizeof(FutexWord) == 4 && FutexWord::is_always_lock_free);

namespace internal {

// From now; a far deadline is waited for in parts.
inline unsigned long milliseconds_until(Time deadline) noexcept {
  constexpr unsigned long kInfinite = 0xffffffff;
  if (deadline == kForever) return kInfinite;
  using std::chrono::milliseconds;
  constexpr milliseconds kLongest = std::chrono::hours(1);
  const auto left = std::chrono::ceil<milliseconds>(deadline - std::min(now(), deadline));
  return static_cast<unsigned long>(std::min(left, kLongest).count());
}

}  // namespace internal

inline bool futex_wait(const FutexWord& word, std::uint32_t expected,
                       Time deadline = kForever) noexcept {
  const KeptErrno kept;
  void* const address = const_cast<FutexWord*>(&word);
  return WaitOnAddress(address, &expected, sizeof expected,
                       internal::milliseconds_until(deadline)) != 0 ||
         now() < deadline;  // its milliseconds may end early
}

inline void futex_wake(const FutexWord& word, int count) noexcept {
  const KeptErrno kept;
  void* const address = const_cast<FutexWord*>(&word);
  if (count == 1) {
    WakeByAddressSingle(address);
  } else {
    WakeByAddressAll(address);
  }
}

}  // namespace lockbench::platform
