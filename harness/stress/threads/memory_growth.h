// SPDX-License-Identifier: Apache-2.0

// Memory growth: checks whether each hold leaves memory behind that is not freed.
//
// A lock may keep memory that it will use again, and may free many blocks at a time. So the check
// first makes enough holds to fill everything that the lock keeps, and then makes holds again: the
// memory that these leave behind is lost.
#pragma once

#include "harness/stress/threads/epoch_context.h"

namespace lockbench::stress::threads {

// Requires: no other thread uses the lock. Holds one key repeatedly. If the lock keeps nothing for
// unused keys, it uses a new key each time. Fails the epoch if the heap grows with the holds.
void check_memory_growth(EpochContext& context);

}  // namespace lockbench::stress::threads
