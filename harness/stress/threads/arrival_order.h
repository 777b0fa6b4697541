// SPDX-License-Identifier: Apache-2.0

// Arrival order: whether a lock that promises to be fair serves native threads in the order in
// which they came.
//
// Threads that come at about the same time have no order that anybody knows. So each of these comes
// when the one before it waits for certain: when it sleeps in its call, or has been on a processor
// for longer than any lock looks around before it queues a thread.
#pragma once

#include "harness/stress/threads/epoch_context.h"

namespace lockbench::stress::threads {

// With no other thread at the lock. Fails the epoch when some thread overtook another. Says nothing
// where the machine lets the threads wait for too long.
void check_arrival_order(EpochContext& context);

}  // namespace lockbench::stress::threads
