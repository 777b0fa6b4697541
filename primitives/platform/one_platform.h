// SPDX-License-Identifier: Apache-2.0

// One platform: ends the process if some of its sources have LOCKBENCH_PORTABLE and some have not.
//
// Both kinds define the same inline functions differently, and the linker keeps one of each. So a
// thread would sleep in the table and be woken by the system's futex, which does not know of it,
// even if sources of the two kinds share no lock.
//
// Guarantees   the process is aborted with a message before main(), or in the dlopen() that loads
//              the first source of the other kind.
// Not offered  this for copies of the headers that know nothing of each other (thread.h says which
//              these are): they have no function in common.
#pragma once

#include <atomic>

#include "primitives/platform/failure.h"
#include "primitives/platform/system.h"

namespace lockbench::platform::internal {

enum class Platform : unsigned char { kUnknown, kSystem, kPortable };

[[gnu::visibility("default"), gnu::noinline, gnu::cold]] inline bool agree_on(
    Platform platform) noexcept {
  static constinit std::atomic<Platform> agreed{Platform::kUnknown};
  Platform seen = Platform::kUnknown;
  // relaxed: the value alone.
  if (!agreed.compare_exchange_strong(seen, platform, std::memory_order_relaxed) &&
      seen != platform) {
    abort_with(
        "some sources of this process are compiled with LOCKBENCH_PORTABLE and some without, so "
        "waiting threads would not be woken; define it for all of them or for none");
  }
  return true;
}

// Two names: of two variables with one name, the linker would keep one.
#if defined(LOCKBENCH_PORTABLE)
[[gnu::visibility("default")]] inline const bool agreed_on_portable = agree_on(Platform::kPortable);
#else
[[gnu::visibility("default")]] inline const bool agreed_on_system = agree_on(Platform::kSystem);
#endif

}  // namespace lockbench::platform::internal
