// SPDX-License-Identifier: Apache-2.0

// Locks whose faults show along one dimension of a lock's contract that programs have to vary, with
// a control that differs by the fault alone.

#include <utility>

#include "tests/mutants/crash_lock.h"
#include "tests/mutants/mutant.h"

namespace lockbench::mutants {
namespace {

// The process dies in a call.
std::vector<Mutant> crashes() {
  using F = CrashFault;
  const std::vector<Oracle> dies = {Oracle::kCrash};
  constexpr char kWindow[] = "the window is two loads wide";
  return {
      control(global<CrashLock<F::kNone>>("looks", "a correct lock that counts looks in vain")),
      simulated_only(
          global<CrashLock<F::kFollows>>("looks_follows", "follows a pointer that it read twice"),
          dies, kWindow),
      simulated_only(
          global<CrashLock<F::kAborts>>("looks_aborts", "aborts if its two reads differ"), dies,
          kWindow),
      simulated_only(global<CrashLock<F::kExits>>("looks_exits", "exits if its two reads differ"),
                     dies, kWindow),
  };
}

}  // namespace

std::vector<Mutant> mutants_by_dimension() {
  std::vector<Mutant> all;
  for (auto part : {crashes}) {
    for (Mutant& mutant : part()) all.push_back(std::move(mutant));
  }
  return all;
}

}  // namespace lockbench::mutants
