// SPDX-License-Identifier: Apache-2.0

// LastLeaver: two threads use a lock for the last time; the last of them destroys it. The unlock()
// that let it in may not have returned, and must not access the lock any more.
#pragma once

#include <cstdint>

#include "harness/stress/threads/epoch_context.h"

namespace lockbench::stress::threads {

// Does so with many locks, for some milliseconds, while signals delay both threads. If there is an
// instrumented form of the lock, its accesses are delayed as `seed` says. An access of destroyed
// memory ends the process (guarded_memory.h). Requires Abilities::last_may_destroy.
void check_last_leaver(EpochContext& context, std::uint64_t seed);

}  // namespace lockbench::stress::threads
