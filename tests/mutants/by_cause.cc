// SPDX-License-Identifier: Apache-2.0

// Locks of the causes by which broken ones used to pass, at least three of each, and a control that
// differs by the fault alone; and faults that were published, with the version after them.

#include <utility>

#include "harness/stress/litmus/capacity_lock.h"
#include "tests/mutants/arrival_lock.h"
#include "tests/mutants/counted_lock.h"
#include "tests/mutants/forked_lock.h"
#include "tests/mutants/gated_lock.h"
#include "tests/mutants/handover_lock.h"
#include "tests/mutants/mutant.h"
#include "tests/mutants/mutex_table.h"
#include "tests/mutants/paged_locks.h"
#include "tests/mutants/preferring_lock.h"
#include "tests/mutants/published/destroyed_early.h"
#include "tests/mutants/published/kernels.h"
#include "tests/mutants/published/parked.h"
#include "tests/mutants/published/runtimes.h"
#include "tests/mutants/published/semaphores.h"
#include "tests/mutants/queue_lock.h"
#include "tests/mutants/recording_lock.h"
#include "tests/mutants/refusal_count_lock.h"
#include "tests/mutants/served_lock.h"
#include "tests/mutants/telling_lock.h"

namespace lockbench::mutants {
namespace {

// The windows lie between two accesses of one call.
std::vector<Mutant> inside_of_calls() {
  using F = ListFault;
  using C = CountFault;
  // A waiter that is woken by mistake, or never, leaves a node behind that other threads still
  // read.
  const std::vector<Oracle> torn = kStandstill + kExclusion + kLifetime + kCrash + kCycle;
  return {
      control<ListLock<F::kNone>>("list", "a correct list of waiters"),
      broken<ListLock<F::kForgetsSuccessor>>("list_forgets_successor",
                                             "empties its list without a look", torn),
      broken<ListLock<F::kFlagLate>>("list_flag_late", "says that it waits when it has been told",
                                     torn),
      broken<ListLock<F::kNoWaitForLink>>("list_no_wait_for_link",
                                          "takes a successor on its way for none", torn),
      control<CountedLock<C::kNone>>("counted", "a correct count of sleepers"),
      simulated_only<CountedLock<C::kNoFence>>(
          "counted_no_fence", "counts before its store is seen", kStandstill + kCycle,
          "the window is a store buffer's"),
      broken<CountedLock<C::kChecksFirst>>("counted_checks_first",
                                           "counts before it frees the word", kStandstill + kCycle),
      broken<CountedLock<C::kWakesFirst>>("counted_wakes_first", "wakes before it frees the word",
                                          kStandstill + kCycle),
  };
}

// A timeout and a wake-up, or a release, at once.
std::vector<Mutant> timeouts_and_releases() {
  using F = HandoverFault;
  return {
      control<GatedLock<true>>("gated", "waits for its gate with the timeout"),
      broken<GatedLock<false>>("gated_untimed", "waits for its gate without it", {kModel}),
      control<HandoverLock<F::kNone>>("handover", "a correct lock that is handed over"),
      control<HandoverLock<F::kGivesBack>>("handover_gives_back", "hands on what came too late"),
      // As reported of cats-effect's Mutex: github.com/typelevel/cats-effect issue 3554, 2023.
      broken<HandoverLock<F::kGrantLost>>("handover_grant_lost",
                                          "keeps what came too late, for nobody",
                                          kStandstill + kResidue + kModel + kCycle),
      // As reported of Shuttle's BatchSemaphore: github.com/awslabs/shuttle pull request 167, 2024.
      broken<HandoverLock<F::kGivesBackUntold>>("handover_gives_back_untold",
                                                "frees what came too late, and tells nobody",
                                                kStandstill + kCycle),
      broken(global<HandoverLock<F::kEarly>>("handover_early",
                                             "takes a timeout for whole milliseconds"),
             {kModel}),
  };
}

std::vector<Mutant> counts_of_refusals() {
  const std::vector<Oracle> freed = kTwoInside + kOrdering + kModel;
  return {
      control<RefusalCountLock<64>>("refusals", "a correct count of refusals"),
      broken<RefusalCountLock<7>>("refusals_7_bits", "128 refusals free it", freed),
      broken<RefusalCountLock<8>>("refusals_8_bits", "256 refusals free it", freed),
      broken<RefusalCountLock<4>>("refusals_4_bits", "16 refusals free it", freed),
  };
}

std::vector<Mutant> telling_owners() {
  using F = TellingFault;
  const std::vector<Oracle> said = {kModel};
  return {
      control<TellingLock<F::kNone>>("telling", "says correctly who holds it"),
      broken<TellingLock<F::kOwnerStays>>("telling_owner_stays", "is its last holder's for ever",
                                          said),
      broken<TellingLock<F::kTryIsNoOwner>>("telling_try_is_no_owner",
                                            "try_lock() makes nobody its owner", said),
      broken<TellingLock<F::kAnybodysOwner>>("telling_anybodys_owner",
                                             "is everybody's while it is held", said),
      broken<TellingLock<F::kStaysLocked>>("telling_stays_locked", "counts a refusal as a hold",
                                           said),
  };
}

// Two of some thousands of keys have one lock.
std::vector<Mutant> hashes_of_keys() {
  const std::vector<Oracle> shared = {kIndependence};
  return {
      control<HashedTable<64>>("hashed", "a correct table of mutexes"),
      real_only<HashedTable<12>>("hashed_12_bits", "12 bits of a hash are a key", shared),
      real_only<HashedTable<16>>("hashed_16_bits", "16 bits of a hash are a key", shared),
      real_only<HashedTable<20>>("hashed_20_bits", "20 bits of a hash are a key", shared),
  };
}

std::vector<Mutant> orders_of_arrival() {
  using F = ArrivalFault;
  const std::vector<Oracle> unfair = {kFairness};
  return {
      control<ServedLock<false>>("served", "a correct thread that serves in order"),
      broken<ServedLock<true>>("served_last_first", "a thread that serves the last first", unfair),
      control<ArrivalLock<F::kNone>>("arrival", "a correct queue"),
      broken<ArrivalLock<F::kLastFirst>>("arrival_last_first", "a stack, and no queue", unfair),
      broken<ArrivalLock<F::kSecondFirst>>("arrival_second_first", "serves the second one first",
                                           unfair),
      broken<ArrivalLock<F::kAnybody>>("arrival_anybody", "wakes all, from the last one on",
                                       unfair),
      broken<ArrivalLock<F::kNewcomer>>("arrival_newcomer",
                                        "is free for others until the first one wakes up", unfair),
  };
}

// With these a thread gets nothing for as long as another one uses the lock now and then.
std::vector<Mutant> forgotten_while_others_compete() {
  return {
      control<PreferringLock<0>>("preferring", "a correct lock that knows its first holder"),
      broken<PreferringLock<200>>("preferring_200_ms",
                                  "is free for others 200 ms after its first holder", kStandstill),
  };
}

std::vector<Mutant> growing_memory() {
  return {
      control<RecordingLock<true>>("recording", "frees a record that it does not need"),
      simulated_only<RecordingLock<false>>("recording_keeps", "keeps such a record", {kResidue},
                                           "a hold in some hundreds leaves a few bytes"),
  };
}

std::vector<Mutant> orders_of_pairs() {
  return {
      control<PagedLocks<true>>("paged", "two keys in an order of its own"),
      broken<PagedLocks<false>>("paged_as_asked", "two keys in no order", kCircle),
  };
}

// The mutants whose unlock() touches what another thread may have destroyed.
std::vector<Mutant> destroyed_by_the_last() {
  using namespace published;
  const std::vector<Oracle> late = {kLifetime};
  return {
      control<PostedSemaphore<true>>("glibc_12674_fixed", "sem_post() after its correction"),
      broken<PostedSemaphore<false>>("glibc_12674", "sem_post() counts sleepers too late", late),
      control<MutexOfAKind<true>>("glibc_13690_fixed", "the unlock after its correction"),
      broken<MutexOfAKind<false>>("glibc_13690", "unlock reads its kind too late", late),
      control<SignalledLock<true>>("cpython_38106_fixed", "the release after its correction"),
      broken<SignalledLock<false>>("cpython_38106", "release signals too late", late),
  };
}

// A thread that forked while it held goes on in the child, where no other thread is left.
std::vector<Mutant> forked_by_the_holder() {
  using F = ForkedFault;
  return {
      control<ForkedLock<F::kNone>>("forked", "knows its owner by an address"),
      real_only<ForkedLock<F::kTaskNumber>>("forked_task_number",
                                            "knows its owner by the kernel's number", kStandstill),
      real_only<ForkedLock<F::kProcessNumber>>(
          "forked_process_number", "knows its owner by process and thread", kStandstill),
      real_only<ForkedLock<F::kHelper>>("forked_helper", "a thread of its own releases it",
                                        kStandstill),
  };
}

std::vector<Mutant> published_faults() {
  using namespace published;
  constexpr char kNext[] = "a later release wakes whoever was forgotten";
  return {
      control(leases<CountingLeases<true>>("libcxx_46357_fixed", "notifies each time")),
      simulated_only(leases<CountingLeases<false>>("libcxx_46357", "notifies from 0 alone"),
                     kStandstill, kNext),
      control<ParkedBitLock<true>>("parking_lot_465_fixed", "clears its bit in the queue"),
      simulated_only<ParkedBitLock<false>>(
          "parking_lot_465", "clears the bit of the next sleeper", kStandstill + kCycle,
          "a timeout and a request meet in a window of some nanoseconds"),
      control<PermitLock<true>>("jdk_6822370_fixed", "a barrier behind the permit"),
      simulated_only<PermitLock<false>>("jdk_6822370", "no barrier behind the permit",
                                        kStandstill + kCycle, "the window is a store buffer's"),
      control<OwnFutexLock<true>>("asterinas_1642_fixed", "looks under the list's lock"),
      broken<OwnFutexLock<false>>("asterinas_1642", "looks before it has the list's lock",
                                  kStandstill + kCycle),
      control<TwoSides<true>>("peterson_1981", "two sides that take turns"),
      broken<TwoSides<false>>("hyman_1966", "two sides, of which both may go on",
                              // unlock() frees the side of the holder that came last: with two
                              // inside, the other side stays taken for good.
                              kTwoInside + kOrdering + kProgress + kResidue),
  };
}

RegisteredLock permits(RegisteredLock entry) {
  entry.make = stress::with_capacity(std::move(entry.make), entry.abilities.capacity);
  return entry;
}

std::vector<Mutant> published_by_kernels() {
  using namespace published;
  using R = RtFault;
  constexpr char kWindow[] = "the window is some nanoseconds long";
  const std::vector<Oracle> stuck = kStandstill + kCycle + kResidue;
  return {
      control<RtMutex<R::kNone>>("rt_mutex", "rt_mutex after both corrections"),
      simulated_only<RtMutex<R::kClearsAlways>>("linux_dbb26055", "clears a bit over a release",
                                                stuck + kModel + kOrdering + kExclusion, kWindow),
      simulated_only<RtMutex<R::kNoAcquire>>("linux_1c0908d8", "takes it without acquiring",
                                             {kOrdering}, kForgiven),
      control<ArbitratedLock<true>>("libnx_120_fixed", "leaves the word to the kernel"),
      simulated_only<ArbitratedLock<false>>("libnx_120", "frees it, then hands it over",
                                            kTwoInside + kOrdering + kProgress, kWindow),
      control<NeedToWakeLock<true>>("serenity_20425_fixed", "sleeps while it is said"),
      simulated_only<NeedToWakeLock<false>>("serenity_20425", "sleeps though nobody is told",
                                            kStandstill + kCycle, kWindow),
  };
}

std::vector<Mutant> published_by_runtimes() {
  using namespace published;
  constexpr char kBuffer[] = "the window is a store buffer's";
  constexpr char kRare[] = "sleeps end without a reason only when signals arrive";
  constexpr char kNext[] = "a later release wakes whoever was forgotten";
  return {
      control<EventMutex<true>>("mdev_7026_fixed", "a full barrier before it looks"),
      simulated_only<EventMutex<false>>("mdev_7026", "looks for waiters too early",
                                        kStandstill + kCycle, kBuffer),
      control<RawMutex<true>>("cpython_148820_fixed", "sleeps until it is woken"),
      simulated_only<RawMutex<false>>("cpython_148820", "takes any end of a sleep for one",
                                      {kLifetime, kProgress, kCycle}, kRare),
      control<LimitedLocks<true>>("rocksdb_13585_fixed", "gives up at the limit"),
      simulated_only<LimitedLocks<false>>("rocksdb_13585", "neither waits nor gives up",
                                          {kModel, kProgress},
                                          "the deadline passes before the first wait"),
      control<RestOfTimeLock<true>>("boost_9079_fixed", "no time is left, no wait"),
      broken<RestOfTimeLock<false>>("boost_9079", "waits forever if no time is left",
                                    {kModel, kProgress, kCycle}),
      control(
          permits(global<SharedReleases<true>>("jdk_6801020_fixed", "a release leaves a mark"))),
      simulated_only(
          permits(global<SharedReleases<false>>("jdk_6801020", "two releases wake one thread")),
          kStandstill, kNext),
  };
}

}  // namespace

std::vector<Mutant> mutants_by_cause() {
  return all_of({inside_of_calls, timeouts_and_releases, counts_of_refusals, telling_owners,
                 hashes_of_keys, orders_of_arrival, forgotten_while_others_compete, growing_memory,
                 orders_of_pairs, destroyed_by_the_last, forked_by_the_holder, published_faults,
                 published_by_kernels, published_by_runtimes});
}

}  // namespace lockbench::mutants
