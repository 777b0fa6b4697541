// SPDX-License-Identifier: Apache-2.0

// check_starvation(): whether a thread that waits gets the key at all while others compete for it.
#pragma once

#include "harness/stress/threads/epoch_context.h"

namespace lockbench::stress::threads {

// Called while the threads of an epoch compete for one key. Returns as soon as each thread that
// waits now has got the key, which takes microseconds as a rule, and at most 3 s.
//
// A lock that promises to be fair fails if a thread got nothing. Another one may let a thread lose
// every race for some time, but the odds against that grow with each race, and a thread that the
// lock has forgotten gets the key only after the others have stopped. Which of the two it was
// cannot be told, so it is noted in ThreadSlot::never_served_ns and makes the test inconclusive.
// A thread that sleeps and looks at the lock at times had few races: nothing is noted for it.
void check_starvation(EpochContext& context);

}  // namespace lockbench::stress::threads
