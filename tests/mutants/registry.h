// SPDX-License-Identifier: Apache-2.0

// The catalog of broken locks that the engines must fail, and of correct ones beside them that
// they must not.
#pragma once

#include <vector>

#include "harness/stress/registered_lock.h"

namespace lockbench::mutants {

// As the simulated engine, the one of real threads and the one of processes take them: with the
// oracles of which one must fail each; controls have none.
std::vector<stress::RegisteredLock> for_sim();
std::vector<stress::RegisteredLock> for_real();
std::vector<stress::RegisteredLock> for_proc();

}  // namespace lockbench::mutants
