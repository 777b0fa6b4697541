// SPDX-License-Identifier: Apache-2.0

// Waits that must end at their timeout and not before or long after it, though something else
// happens meanwhile.
#pragma once

#include "harness/stress/threads/epoch_context.h"

namespace lockbench::stress::threads {

// Both require a lock that is timed and has one holder, and that no other thread uses the lock.

// A thread waits with each of kTimeoutsOfMoreBits, and the key is released after a few
// milliseconds. It must not give up before. Takes 30 ms.
void check_timeouts_of_more_bits(EpochContext& context);

// A thread waits with a timeout, while the holder releases the key and takes it again each
// millisecond. A thread that is woken and begins its timeout anew, or waits without one from then
// on, comes late. Time in which it, or the whole machine, had no processor does not count. Takes
// 10 ms; 1.5 s if the lock is late.
void check_timeout_of_a_woken_thread(EpochContext& context);

}  // namespace lockbench::stress::threads
