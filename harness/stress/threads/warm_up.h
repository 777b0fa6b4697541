// SPDX-License-Identifier: Apache-2.0

// WarmUp: what happens to the lock before the threads of the program begin.
#pragma once

#include "harness/stress/litmus/lock_under_test.h"
#include "harness/stress/litmus/program.h"
#include "harness/stress/threads/shared_state.h"

namespace lockbench::stress::threads {

// Many holds of one key; many refusals of a held key; many other keys; many holds at once. Each
// takes 0.1 s at most: a slow lock does not reach the point of overflow. Notes failures in `state`.
void warm_up(SharedState& state, LockUnderTest& lock, const LitmusProgram& program,
             const Abilities& abilities);

}  // namespace lockbench::stress::threads
