// SPDX-License-Identifier: Apache-2.0

// Arrival order: checks whether a lock that promises to be fair serves native threads in the order
// in which they arrive.
//
// The order of threads that arrive at about the same time cannot be determined. So each thread
// arrives when the one before it certainly waits: when that one sleeps in its call, or has used a
// processor for longer than any lock spins before it queues a thread. Then the holder releases, and
// requests the key again at once: it must be served after all of them.
#pragma once

#include <cstdint>

#include "harness/stress/threads/epoch_context.h"

namespace lockbench::stress::threads {

// Requires: no other thread uses the lock. Fails the epoch if a thread overtook another one.
// Decides nothing if the machine delays the threads for too long. `draw`: a random number, from
// which the number of waiters follows.
void check_arrival_order(EpochContext& context, std::uint64_t draw);

}  // namespace lockbench::stress::threads
