// SPDX-License-Identifier: Apache-2.0

// Memory growth: checks whether calls of one kind leave memory behind that is not freed.
//
// A lock may keep memory that it will use again, and may free many blocks at a time. So the check
// first makes enough calls to fill everything that the lock keeps, and then makes calls again: the
// memory that these leave behind is lost.
#pragma once

#include "harness/stress/oracles/observations.h"
#include "harness/stress/threads/epoch_context.h"

namespace lockbench::stress::threads {

// Requires: no other thread uses the lock. Makes the calls in one thread, while another thread
// holds the keys that are tried. If the lock keeps nothing for unused keys, each call has a key of
// its own. Fails the epoch if the heap grows with the calls. Takes 40 ms at most, or 240 ms of
// timeouts; half as long again if the heap grows. Checks nothing if the calls take too long for
// that.
void check_memory_growth(EpochContext& context, Calls calls);

}  // namespace lockbench::stress::threads
