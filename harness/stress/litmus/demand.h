// SPDX-License-Identifier: Apache-2.0

// Demand: the most that a litmus program asks of a lock at once. It is compared with what the lock
// has room for (lock_limits.h). Pure.
#pragma once

#include <cstdint>
#include <string>

#include "harness/stress/litmus/lock_limits.h"
#include "harness/stress/litmus/lock_under_test.h"
#include "harness/stress/litmus/program.h"

namespace lockbench::stress {

struct Demand {
  std::uint32_t threads = 1;         // that hold or request at once
  std::uint32_t keys = 1;            // that are held or requested at once, under any schedule
  std::uint32_t keys_of_thread = 1;  // that one thread holds or requests at once
  std::uint64_t keys_below = 2;      // one more than the highest key, if one more key is unused
};

Demand demand_of(const LitmusProgram& program, const Abilities& abilities);

// The number of keys that a lock must be made for so that the program can use it: those of its acts
// and, unless a key may be any number, those before it and of its key set, too.
std::uint64_t keys_to_make(const LitmusProgram& program, const Abilities& abilities);

// The demand of the program for which the lock has no room, such as "needs 12 threads at once, and
// the lock promises room for 8"; empty if there is nothing of that kind.
std::string excess_of(const LitmusProgram& program, const Abilities& abilities);

// The same, and acts that the lock does not offer, such as "W needs timeouts; leave it out, or
// promise that", and threads that no lock could serve (served.h).
std::string misfit_of(const LitmusProgram& program, const Abilities& abilities);

// The highest number of other keys that one thread can acquire while another one holds a key: the N
// of a program. Other keys than these have no room.
std::uint32_t most_other_keys(const Abilities& abilities);

// Says what the user of a lock that failed in this program should know of its keys; empty if
// nothing.
std::string remark_on_names(const LitmusProgram& program, const Abilities& abilities);

// "at most 8 threads and 16 keys at once".
std::string to_text(const LockLimits& limits);

}  // namespace lockbench::stress
