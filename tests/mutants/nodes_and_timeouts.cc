// SPDX-License-Identifier: Apache-2.0

// Locks that treat what belongs to a waiter wrongly: its object, its timeout, its turn, its entry
// of a table, its coroutine; and exchanges and sleeps that may fail or end without a reason. Each
// with a control that differs by the fault alone. The controls `timed` and `nesting` are in
// registry.cc.

#include <utility>

#include "harness/engines/coroutine_holds.h"
#include "tests/mutants/abandoned_queue.h"
#include "tests/mutants/cached_table.h"
#include "tests/mutants/co_lock.h"
#include "tests/mutants/granting_lock.h"
#include "tests/mutants/made_lock.h"
#include "tests/mutants/mutant.h"
#include "tests/mutants/nesting_lock.h"
#include "tests/mutants/timed_lock.h"

namespace lockbench::mutants {
namespace {

const std::vector<Oracle> kNotInTime = {Oracle::kModel, Oracle::kProgress};

// As reported of NuttX's mutex (github.com/apache/nuttx pull request 19678, 2026) and of ArceOS's
// (github.com/arceos-org/arceos pull request 297, 2025), among others, a timeout or a weak exchange
// leaves a lock in a state from which nobody wakes its waiters.
std::vector<Mutant> timeouts() {
  using F = TimedFault;
  constexpr char kSlow[] = "a slow machine is late, too";
  constexpr char kLater[] = "a later release wakes it";
  return {
      broken(global<TimedLock<F::kRestarts>>("timed_restarts",
                                             "begins its timeout anew at each wake-up"),
             {Oracle::kModel}),
      simulated_only(global<TimedLock<F::kWholeSeconds>>("timed_whole_seconds",
                                                         "rounds its timeouts up to seconds"),
                     {Oracle::kModel}, kSlow),
      broken(global<TimedLock<F::kOnlyOnce>>("timed_only_once",
                                             "has no deadline after its first wake-up"),
             kNotInTime),
      simulated_only(global<TimedLock<F::kZeroForever>>("timed_zero_forever",
                                                        "takes a timeout of nothing for none"),
                     kNotInTime, kLater),
      broken(global<TimedLock<F::kLow32>>("timed_low_32", "has 32 bits for nanoseconds"),
             {Oracle::kModel}),
      broken(global<TimedLock<F::kLow32Us>>("timed_low_32_us", "has 32 bits for microseconds"),
             {Oracle::kModel}),
      broken(global<TimedLock<F::kLow31Ms>>("timed_low_31_ms", "has an int for milliseconds"),
             {Oracle::kModel}),
  };
}

std::vector<Mutant> without_a_reason() {
  using F = TimedFault;
  constexpr char kSeldom[] = "the kernel ends no sleep without a reason, and x86 fails no exchange";
  return {
      simulated_only(global<TimedLock<F::kWeakTry>>("timed_weak_try", "tries by a weak exchange"),
                     {Oracle::kModel, Oracle::kResidue}, kSeldom),
      simulated_only(global<TimedLock<F::kWeakSleep>>("timed_weak_sleep",
                                                      "sleeps when a weak exchange has failed"),
                     kStandstill + Oracle::kModel + Oracle::kCycle, kSeldom),
      simulated_only(global<TimedLock<F::kWokenIsLate>>("timed_woken_is_late",
                                                        "takes the end of a sleep for a timeout"),
                     {Oracle::kModel}, kSeldom),
  };
}

std::vector<Mutant> objects_of_waiters() {
  using F = GrantFault;
  const std::vector<Oracle> misused = {Oracle::kLifetime};
  constexpr char kHeap[] = "the heap does not tell; AddressSanitizer does";
  return {
      control(global<GrantingLock<F::kNone>>("granting", "a correct object for each waiter")),
      simulated_only(global<GrantingLock<F::kTouchesLate>>(
                         "granting_touches_late", "marks an object that it has left already"),
                     misused, kHeap),
      simulated_only(global<GrantingLock<F::kBothFree>>("granting_both_free",
                                                        "waiter and releaser free the object"),
                     misused, kHeap),
      simulated_only(global<GrantingLock<F::kLooksAgain>>(
                         "granting_looks_again", "looks twice who is the last to leave an object"),
                     misused, kHeap),
  };
}

std::vector<Mutant> abandoned_by_waiters() {
  using F = AbandonFault;
  return {
      control(global<AbandonedQueue<F::kNone>>("abandoned", "a correct queue that waiters leave")),
      simulated_only(
          global<AbandonedQueue<F::kTwoSteps>>("abandoned_two_steps",
                                               "grants the lock to a waiter that just left"),
          kStandstill + Oracle::kCycle + Oracle::kResidue + Oracle::kModel,
          "a timeout has to end between two accesses; about every second run of 10 s sees it"),
  };
}

std::vector<Mutant> made_at_first_use() {
  using F = MadeFault;
  return {
      control(global<MadeLock<F::kNone>>("made", "a correct mutex, made when it is needed")),
      broken(global<MadeLock<F::kTwice>>("made_twice", "two threads make a mutex each"),
             kTwoInside + Oracle::kOrdering + Oracle::kProgress + Oracle::kCycle +
                 Oracle::kResidue + Oracle::kModel + Oracle::kLifetime + Oracle::kCrash),
  };
}

RegisteredLock refusing(RegisteredLock entry) {
  entry.abilities.refuses_non_owners = true;
  return entry;
}

std::vector<Mutant> unlocked_by_others() {
  using F = NestingFault;
  const std::vector<Oracle> robbed = {Oracle::kModel, Oracle::kProgress, Oracle::kResidue,
                                      Oracle::kCycle};
  return {
      broken(refusing(lock_under_test<NestingLock<F::kAsksDepth>>(
                 "nesting_asks_depth", "unlocks for anybody while it is held")),
             robbed),
      broken(refusing(lock_under_test<NestingLock<F::kOwnerTooSoon>>(
                 "nesting_owner_too_soon", "names its owner before the try has succeeded")),
             robbed + Oracle::kExclusion + Oracle::kConservation + Oracle::kOrdering),
  };
}

// As reported of a cache of locks in Apicurio Registry: github.com/Apicurio/apicurio-registry issue
// 9842, 2026.
std::vector<Mutant> entries_of_tables() {
  using F = CacheFault;
  const std::vector<Oracle> two = kTwoInside + Oracle::kOrdering;
  constexpr char kManyKeys[] = "few epochs use so many keys while one of them is held";
  return {
      control(lock_under_test<CachedTable<4, F::kNone>>("cached", "a correct cache of mutexes")),
      broken(
          lock_under_test<CachedTable<4, F::kEvictsUsed>>("cached_4", "throws out a used one of 4"),
          two),
      simulated_only(lock_under_test<CachedTable<64, F::kEvictsUsed>>(
                         "cached_64", "throws out a used one of 64"),
                     two, kManyKeys),
      simulated_only(lock_under_test<CachedTable<1000, F::kEvictsUsed>>(
                         "cached_1000", "throws out a used one of 1000"),
                     two, kManyKeys),
  };
}

template <CoFault kFault>
RegisteredLock coroutines_of(const char* name, const char* fault) {
  return lock_under_test<CoroutineHolds<CoLock<kFault>>>(name, fault, 1);
}

std::vector<Mutant> coroutines() {
  using F = CoFault;
  const std::vector<Oracle> none_goes_on = {Oracle::kProgress, Oracle::kResidue, Oracle::kModel};
  return {
      control(coroutines_of<F::kNone>("co", "correct waiters that are coroutines")),
      broken(coroutines_of<F::kNoSecondLook>("co_no_second_look",
                                             "suspends itself for a key that was just released"),
             none_goes_on),
      simulated_only(coroutines_of<F::kChecksOutside>("co_checks_outside",
                                                      "forgets a waiter that came while it looked"),
                     none_goes_on + Oracle::kExclusion + Oracle::kConservation + Oracle::kFairness,
                     "nothing delays a thread between its two calls of the mutex"),
      broken(coroutines_of<F::kPostsNone>("co_posts_none",
                                          "wakes nobody if more than one coroutine waits"),
             none_goes_on),
      broken(
          coroutines_of<F::kForgetsKey>("co_forgets_key",
                                        "a key that is being handed over looks free"),
          kTwoInside + Oracle::kOrdering + Oracle::kModel + Oracle::kProgress + Oracle::kFairness),
      simulated_only(coroutines_of<F::kNewestFirst>("co_newest_first",
                                                    "hands a key to the coroutine that came last"),
                     {Oracle::kFairness}, "the order of its requests is not known"),
  };
}

}  // namespace

std::vector<Mutant> mutants_of_nodes_and_timeouts() {
  std::vector<Mutant> all;
  for (auto part : {timeouts, without_a_reason, objects_of_waiters, abandoned_by_waiters,
                    made_at_first_use, unlocked_by_others, entries_of_tables, coroutines}) {
    for (Mutant& mutant : part()) all.push_back(std::move(mutant));
  }
  return all;
}

}  // namespace lockbench::mutants
