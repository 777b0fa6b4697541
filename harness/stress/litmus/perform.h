// SPDX-License-Identifier: Apache-2.0

// Acting: how an act of a program is done, whichever engine's thread does it.
#pragma once

#include <memory>

#include "harness/stress/litmus/lock_under_test.h"
#include "harness/stress/litmus/program.h"

namespace lockbench::stress {

// What the act wants to take.
inline std::unique_ptr<LockHandle> handle_for(LockUnderTest& lock, const Act& act) {
  return act.kind == Act::kLockBoth ? lock.handle_both(act.key, act.other) : lock.handle(act.key);
}

// Calls `give()` as a guard does when the work throws: while an exception is under way.
template <class Give>
void unlock_while_throwing(const Give& give) {
  struct WorkFailed {};
  struct Guard {
    ~Guard() { give(); }
    const Give& give;
  };
  try {
    const Guard guard{give};
    throw WorkFailed();
  } catch (const WorkFailed&) {
  }
}

}  // namespace lockbench::stress
