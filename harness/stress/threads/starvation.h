// SPDX-License-Identifier: Apache-2.0

// check_starvation(): whether a thread that waits for a key gets it when the key is free.
//
// A lock that does not promise to be fair may let a thread lose race after race, for as long as
// others compete with it. But it must not forget the thread: if the key is free for a while and
// only waiting threads ask for it, one of them gets it. While all threads compete, the two cannot
// be told apart; after all have stopped, a thread that was forgotten may get the key at last. So
// the check lies between: the other threads go on, with pauses.
//
// A pause counts as evidence only if in all of it no thread held the key or was granted it, the
// waiting thread ran, and no thread of the process was runnable without getting a processor. So
// neither a busy machine nor a waiter that sleeps for long between its looks is reported.
#pragma once

#include "harness/stress/threads/epoch_context.h"

namespace lockbench::stress::threads {

// Called while the threads of an epoch compete for one key. Returns when each thread that waited
// has got the key, which takes a few milliseconds as a rule, and after some seconds at most. Fails
// the lock if a thread got it in none of 20 pauses of 50 ms.
void check_starvation(EpochContext& context);

}  // namespace lockbench::stress::threads
