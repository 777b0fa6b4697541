// SPDX-License-Identifier: Apache-2.0

// Acting: how an act of a client is done, whichever engine's thread does it.
#pragma once

#include <memory>

#include "harness/stress/client.h"
#include "harness/stress/suspect.h"

namespace lockbench::stress {

// What the act wants to take.
inline std::unique_ptr<Claim> claim_for(Suspect& suspect, const Act& act) {
  return act.kind == Act::kTakeBoth ? suspect.claim_both(act.key, act.other)
                                    : suspect.claim(act.key);
}

// Calls `give()` as a guard does when the work throws: while an exception is under way.
template <class Give>
void give_while_throwing(const Give& give) {
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
