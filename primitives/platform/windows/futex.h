// SPDX-License-Identifier: Apache-2.0

// The futex of Windows 8 and newer: WaitOnAddress. GetLastError() stays as it was.
//
// Requires     synchronization.lib (-lsynchronization), which lockbench::primitives links.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"

// As <synchapi.h> and <errhandlingapi.h> declare them. <windows.h> defines macros like `min`, which
// each program that includes a lock would get.
extern "C" {
__declspec(dllimport) int __stdcall WaitOnAddress(volatile void*, void*, unsigned long long,
                                                  unsigned long);
__declspec(dllimport) void __stdcall WakeByAddressSingle(void*);
__declspec(dllimport) void __stdcall WakeByAddressAll(void*);
__declspec(dllimport) unsigned long __stdcall GetLastError();
__declspec(dllimport) void __stdcall SetLastError(unsigned long);
}

namespace lockbench::platform {

using FutexWord = Atomic<std::uint32_t>;
static_assert(sizeof(FutexWord) == 4 && FutexWord::is_always_lock_free);

namespace internal {

// Restores GetLastError() at the end of its scope, as KeptErrno does errno.
class KeptLastError {
 public:
  KeptLastError() noexcept : value_(GetLastError()) {}
  KeptLastError(const KeptLastError&) = delete;
  KeptLastError& operator=(const KeptLastError&) = delete;
  ~KeptLastError() { SetLastError(value_); }

 private:
  const unsigned long value_;
};

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
  const internal::KeptLastError kept;
  void* const address = const_cast<FutexWord*>(&word);
  return WaitOnAddress(address, &expected, sizeof expected,
                       internal::milliseconds_until(deadline)) != 0 ||
         now() < deadline;  // its milliseconds may end early
}

inline void futex_wake(const FutexWord& word, int count) noexcept {
  const internal::KeptLastError kept;
  void* const address = const_cast<FutexWord*>(&word);
  if (count == 1) {
    WakeByAddressSingle(address);
  } else {
    WakeByAddressAll(address);
  }
}

}  // namespace lockbench::platform
