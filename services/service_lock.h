// SPDX-License-Identifier: Apache-2.0

// What all locks of this folder have in common, at whatever service they are.
#pragma once

#include <chrono>

#include "primitives/concepts.h"
#include "primitives/platform/clock.h"

namespace lockbench::services {

// Of every lock at a service that has a name for each key.
inline constexpr Promises kServicePromises{.lock_per_key = true,
                                           .timed = true,
                                           .scope = Scope::kService,
                                           .fallible = true,
                                           .expires = true};

// The time after `timeout`; kForever if it is too far.
inline platform::Time deadline_after(std::chrono::nanoseconds timeout) {
  const platform::Time now = platform::now();
  return timeout < platform::kForever - now ? now + timeout : platform::kForever;
}

}  // namespace lockbench::services
