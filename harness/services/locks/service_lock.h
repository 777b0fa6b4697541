// SPDX-License-Identifier: Apache-2.0

// The part that all locks of this folder have in common, at whatever service they are.
#pragma once

#include <chrono>

#include "primitives/concepts.h"
#include "primitives/platform/clock.h"
#include "primitives/service.h"

namespace lockbench::services {

// The promises of every lock at a service that has a name for each key.
inline constexpr Promises kServicePromises{.lock_per_key = true,
                                           .timed = true,
                                           .scope = Scope::kService,
                                           .fallible = true,
                                           .expires = true};

// lock() and the tries of a handle, by its `TryReason acquire(bool waits, platform::Time
// deadline)`. lock() throws what that throws; a try returns kServiceLost for a ServiceError.
template <class Handle>
class ServiceMembers {
 public:
  void lock() { self().acquire(true, platform::kForever); }
  TryResult try_lock() { return try_until(false, {}); }
  TryResult try_lock_for(std::chrono::nanoseconds timeout) {
    return try_lock_until(platform::deadline_after(timeout));
  }
  TryResult try_lock_until(platform::Time deadline) { return try_until(true, deadline); }

 private:
  Handle& self() { return static_cast<Handle&>(*this); }

  TryResult try_until(bool waits, platform::Time deadline) {
    try {
      return self().acquire(waits, deadline);
    } catch (const ServiceError&) {
      return TryReason::kServiceLost;
    }
  }
};

}  // namespace lockbench::services
