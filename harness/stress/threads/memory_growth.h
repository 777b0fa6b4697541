// SPDX-License-Identifier: Apache-2.0

// Memory growth: whether each hold leaves memory behind that is not freed.
//
// A lock may keep what it will use again, and may free many at a time. So holds are made until all
// that is kept must be there, and as many again: what those leave behind is lost.
#pragma once

#include "harness/stress/threads/epoch_context.h"

namespace lockbench::stress::threads {

// With no other thread at the lock. Holds one key again and again; of a lock that keeps nothing for
// keys that nobody uses, a new key each time. Fails the epoch when the heap grows with the holds.
void check_memory_growth(EpochContext& context);

}  // namespace lockbench::stress::threads
