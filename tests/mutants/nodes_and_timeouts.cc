// SPDX-License-Identifier: Apache-2.0

// Locks that treat what belongs to a waiter wrongly: its object, its timeout, its turn, its entry
// of a table, its coroutine; and exchanges and sleeps that may fail or end without a reason. Each
// with a control that differs by the fault alone. The controls `timed` and `nesting` are in
// registry.cc.

#include <utility>

#include "harness/stress/engines/coroutine_holds.h"
#include "harness/stress/stopped_waits.h"
#include "tests/mutants/abandoned_queue.h"
#include "tests/mutants/cached_table.h"
#include "tests/mutants/co_lock.h"
#include "tests/mutants/granting_lock.h"
#include "tests/mutants/made_lock.h"
#include "tests/mutants/mutant.h"
#include "tests/mutants/nesting_lock.h"
#include "tests/mutants/stopped_lock.h"
#include "tests/mutants/timed_lock.h"

namespace lockbench::mutants {
namespace {

const std::vector<Oracle> kNotInTime = {kModel, kProgress};

// As reported of NuttX's mutex (github.com/apache/nuttx pull request 19678, 2026) and of ArceOS's
// (github.com/arceos-org/arceos pull request 297, 2025), among others, a timeout or a weak exchange
// leaves a lock in a state from which nobody wakes its waiters.
std::vector<Mutant> timeouts() {
  using F = TimedFault;
  constexpr char kSlow[] = "a slow machine is late, too";
  constexpr char kLater[] = "a later release wakes it";
  return {
      broken<TimedLock<F::kRestarts>>("timed_restarts", "begins its timeout anew at each wake-up",
                                      {kModel}),
      simulated_only<TimedLock<F::kWholeSeconds>>(
          "timed_whole_seconds", "rounds its timeouts up to seconds", {kModel}, kSlow),
      broken<TimedLock<F::kOnlyOnce>>("timed_only_once", "has no deadline after its first wake-up",
                                      kNotInTime),
      simulated_only<TimedLock<F::kZeroForever>>(
          "timed_zero_forever", "takes a timeout of nothing for none", kNotInTime, kLater),
      broken<TimedLock<F::kLow32>>("timed_low_32", "has 32 bits for nanoseconds", {kModel}),
      broken<TimedLock<F::kLow32Us>>("timed_low_32_us", "has 32 bits for microseconds", {kModel}),
      broken(global<TimedLock<F::kLow31Ms>>("timed_low_31_ms", "has an int for milliseconds"),
             {kModel}),
  };
}

std::vector<Mutant> without_a_reason() {
  using F = TimedFault;
  constexpr char kSeldom[] = "the kernel ends no sleep without a reason, and x86 fails no exchange";
  return {
      simulated_only<TimedLock<F::kWeakTry>>("timed_weak_try", "tries by a weak exchange",
                                             {kModel, kResidue}, kSeldom),
      simulated_only<TimedLock<F::kWeakSleep>>("timed_weak_sleep",
                                               "sleeps when a weak exchange has failed",
                                               kStandstill + kModel + kCycle, kSeldom),
      simulated_only<TimedLock<F::kWokenIsLate>>(
          "timed_woken_is_late", "takes the end of a sleep for a timeout", {kModel}, kSeldom),
  };
}

std::vector<Mutant> objects_of_waiters() {
  using F = GrantFault;
  const std::vector<Oracle> misused = {kLifetime};
  constexpr char kHeap[] = "the heap does not tell; AddressSanitizer does";
  return {
      control<GrantingLock<F::kNone>>("granting", "a correct object for each waiter"),
      simulated_only<GrantingLock<F::kTouchesLate>>(
          "granting_touches_late", "marks an object that it has left already", misused, kHeap),
      simulated_only<GrantingLock<F::kBothFree>>(
          "granting_both_free", "waiter and releaser free the object", misused, kHeap),
      simulated_only<GrantingLock<F::kLooksAgain>>(
          "granting_looks_again", "looks twice who is the last to leave an object", misused, kHeap),
  };
}

std::vector<Mutant> abandoned_by_waiters() {
  using F = AbandonFault;
  return {
      control<AbandonedQueue<F::kNone>>("abandoned", "a correct queue that waiters leave"),
      simulated_only<AbandonedQueue<F::kTwoSteps>>(
          "abandoned_two_steps", "grants the lock to a waiter that just left",
          kStandstill + kCycle + kResidue + kModel,
          "a timeout has to end between two accesses; about every second run of 10 s sees it"),
  };
}

std::vector<Mutant> made_at_first_use() {
  using F = MadeFault;
  return {
      control<MadeLock<F::kNone>>("made", "a correct mutex, made when it is needed"),
      broken<MadeLock<F::kTwice>>(
          "made_twice", "two threads make a mutex each",
          kTwoInside + kOrdering + kProgress + kCycle + kResidue + kModel + kLifetime + kCrash),
  };
}

std::vector<Mutant> unlocked_by_others() {
  using F = NestingFault;
  const std::vector<Oracle> robbed = {kModel, kProgress, kResidue, kCycle};
  return {
      broken<NestingLock<F::kAsksDepth>>("nesting_asks_depth",
                                         "unlocks for anybody while it is held", robbed),
      broken<NestingLock<F::kOwnerTooSoon>>("nesting_owner_too_soon",
                                            "names its owner before the try has succeeded",
                                            robbed + kExclusion + kConservation + kOrdering),
  };
}

// As reported of a cache of locks in Apicurio Registry: github.com/Apicurio/apicurio-registry issue
// 9842, 2026.
std::vector<Mutant> entries_of_tables() {
  using F = CacheFault;
  const std::vector<Oracle> two = kTwoInside + kOrdering;
  constexpr char kManyKeys[] = "few epochs use so many keys while one of them is held";
  return {
      control<CachedTable<4, F::kNone>>("cached", "a correct cache of mutexes"),
      broken<CachedTable<4, F::kEvictsUsed>>("cached_4", "throws out a used one of 4", two),
      simulated_only<CachedTable<64, F::kEvictsUsed>>("cached_64", "throws out a used one of 64",
                                                      two, kManyKeys),
      simulated_only<CachedTable<1000, F::kEvictsUsed>>(
          "cached_1000", "throws out a used one of 1000", two, kManyKeys),
  };
}

template <CoFault kFault>
struct Coroutines : CoroutineHolds<CoLock<kFault>> {
  Coroutines() : CoroutineHolds<CoLock<kFault>>(1) {}
};

std::vector<Mutant> coroutines() {
  using F = CoFault;
  const std::vector<Oracle> none_goes_on = {kProgress, kResidue, kModel};
  return {
      control<Coroutines<F::kNone>>("co", "correct waiters that are coroutines"),
      broken<Coroutines<F::kNoSecondLook>>(
          "co_no_second_look", "suspends itself for a key that was just released", none_goes_on),
      simulated_only<Coroutines<F::kChecksOutside>>(
          "co_checks_outside", "forgets a waiter that came while it looked",
          none_goes_on + kExclusion + kConservation + kFairness,
          "nothing delays a thread between its two calls of the mutex"),
      broken<Coroutines<F::kPostsNone>>(
          "co_posts_none", "wakes nobody if more than one coroutine waits", none_goes_on),
      broken<Coroutines<F::kForgetsKey>>("co_forgets_key",
                                         "a key that is being handed over looks free",
                                         kTwoInside + kOrdering + kModel + kProgress + kFairness),
      simulated_only<Coroutines<F::kNewestFirst>>(
          "co_newest_first", "hands a key to the coroutine that came last", {kFairness},
          "the order of its requests is not known"),
  };
}

std::vector<Mutant> stopped() {
  using F = StopFault;
  return {
      control<StoppedWaits<StoppableLock<F::kNone>>>("stopped", "waits that end at a stop"),
      simulated_only<StoppedWaits<StoppableLock<F::kLooksTooSoon>>>(
          "stopped_looks_too_soon", "sleeps after a stop that came when it had looked", {kModel},
          "the window lies between two loads: a nanosecond"),
      broken<StoppedWaits<StoppableLock<F::kWakesNobody>>>(
          "stopped_wakes_nobody", "a stop wakes nobody that sleeps", {kModel}),
      broken<StoppedWaits<StoppableLock<F::kGivesUpTheKey>>>("stopped_gives_up_the_key",
                                                             "releases a key that it did not get",
                                                             kTwoInside + kOrdering + kModel),
  };
}

}  // namespace

std::vector<Mutant> mutants_of_nodes_and_timeouts() {
  return all_of({timeouts, without_a_reason, objects_of_waiters, abandoned_by_waiters,
                 made_at_first_use, unlocked_by_others, entries_of_tables, coroutines, stopped});
}

}  // namespace lockbench::mutants
