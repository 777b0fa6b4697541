// SPDX-License-Identifier: Apache-2.0

// Stop: how a program ends the wait of a thread for a lock.
//
// Guarantees   exactly std::stop_token and std::stop_callback, at no cost.
// Not offered  Standard libraries without std::stop_token leave LOCKBENCH_HAS_STOP_TOKEN at 0.
#pragma once

#include <version>

#if defined(__cpp_lib_jthread)
#define LOCKBENCH_HAS_STOP_TOKEN 1
#if defined(LOCKBENCH_SIMULATE)
#include "primitives/platform/simulated/stop.h"
#else
#include <stop_token>
#include <utility>

namespace lockbench::platform {

using StopToken = std::stop_token;
using StopSource = std::stop_source;

// The result calls `callback()` when a stop is requested, at once if it was before, in the
// requesting thread. Its destructor waits until a call in another thread has ended.
template <class Callback>
[[nodiscard]] std::stop_callback<Callback> on_stop(const StopToken& stop, Callback callback) {
  return std::stop_callback<Callback>(stop, std::move(callback));
}

}  // namespace lockbench::platform
#endif
#else
#define LOCKBENCH_HAS_STOP_TOKEN 0
#endif
