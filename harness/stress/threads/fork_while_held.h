// SPDX-License-Identifier: Apache-2.0

// ForkWhileHeld: a thread forks while it holds a key.
#pragma once

#include "harness/stress/threads/epoch_context.h"

namespace lockbench::stress::threads {

// The parent must hold the key as before: another of its threads is refused it. If the lock
// promises to survive a fork, the child must be able to release its copy of the hold and to acquire
// the key again. Requires: no other thread uses the lock, and its capacity is 1.
void check_fork_while_held(EpochContext& context);

}  // namespace lockbench::stress::threads
