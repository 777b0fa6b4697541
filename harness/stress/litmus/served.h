// SPDX-License-Identifier: Apache-2.0

// The check whether a correct lock serves every thread of a litmus program until it ends, under
// every schedule. A program of which this is not so shows nothing about the lock that hangs in it.
// Pure.
#pragma once

#include <string>

#include "harness/stress/litmus/lock_under_test.h"
#include "harness/stress/litmus/program.h"

namespace lockbench::stress {

// Says whether two keys of a lock that does not promise a lock per key are taken to share one. Some
// do, and only the lock knows which.
enum class KeysShare : bool { kIfPromised, kIfNotExcluded };

// Who may never be served, such as "thread 1 may wait for key 1 for ever: thread 0 holds key 0
// until thread 1 has ended (key 0 is the writers', and nobody reads beside a writer); no lock could
// serve both". Empty if a correct lock with these abilities serves every thread.
//
// Looked at are the threads that wait for the end of another one (A) while they hold a key. A
// thread that waits for such a key must not be one whose end they wait for, directly or through
// others.
//
// Not offered  Nested holds in different orders: programs are generated without them, and no step
//              that makes a program smaller changes an order.
std::string unserved_in(const LitmusProgram& program, const Abilities& abilities,
                        KeysShare keys_share = KeysShare::kIfNotExcluded);

}  // namespace lockbench::stress
