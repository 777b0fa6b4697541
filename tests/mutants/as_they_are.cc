// SPDX-License-Identifier: Apache-2.0

// A plug-in for the simulated engine, of the shipped locks and of the broken ones on the platform
// of native threads: what is explored are the accesses that the compiler instrumented and the calls
// of the system's library, as of a lock of another author. tests/stress/test_both_ways.py requires
// the verdicts of the simulated platform.

#include <utility>

#include "harness/plugin/offer.h"
#include "harness/plugin/version.h"

#if defined(SAMPLE)
#include "harness/stress/lock_adapter.h"
#include "primitives/global_lock.h"
#include "primitives/keyed_mutex.h"
#include "primitives/parking_mutex.h"
#include "primitives/reentrant_lock.h"
#else
#include "harness/stress/engines/sim_registry.h"
#include "tests/mutants/registry.h"
#endif

namespace {

#if defined(SAMPLE)
// Some of them, which are built in a moment; named and made as sim_registry.cc does.
void fill(lockbench::PluginOffer& offer) {
  using lockbench::stress::lock_under_test;
  offer.locks.push_back(lock_under_test<lockbench::KeyedMutex<>>("keyed", "", 2));
  offer.locks.push_back(
      lock_under_test<lockbench::GlobalLock<lockbench::ParkingMutex>>("parking", ""));
  offer.locks.push_back(lock_under_test<lockbench::ReentrantLock<>>("reentrant", ""));
  for (lockbench::stress::RegisteredLock& lock : offer.locks) lock.abilities.strong_try = true;
}
#else
void fill(lockbench::PluginOffer& offer) {
  offer.locks = lockbench::stress::explore::stress_registry();
  for (lockbench::stress::RegisteredLock& lock : lockbench::mutants::for_sim()) {
    offer.locks.push_back(std::move(lock));
  }
}
#endif

}  // namespace

extern "C" {
__attribute__((visibility("default"))) extern const lockbench::PluginHeader lockbench_plugin;
const lockbench::PluginHeader lockbench_plugin{
    lockbench::kPluginMagic, {.simulated = 1}, LOCKBENCH_VERSION, __VERSION__, fill};
}
