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
#include "tests/mutants/hashed_table.h"
#include "tests/mutants/keeping_table.h"
#include "tests/mutants/mutant.h"
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
  const std::vector<Oracle> torn =
      kStandstill + Oracle::kExclusion + Oracle::kLifetime + Oracle::kCrash + Oracle::kCycle;
  return {
      control(global<ListLock<F::kNone>>("list", "a correct list of waiters")),
      broken(global<ListLock<F::kForgetsSuccessor>>("list_forgets_successor",
                                                    "empties its list without a look"),
             torn),
      broken(global<ListLock<F::kFlagLate>>("list_flag_late",
                                            "says that it waits when it has been told"),
             torn),
      broken(global<ListLock<F::kNoWaitForLink>>("list_no_wait_for_link",
                                                 "takes a successor on its way for none"),
             torn),
      control(global<CountedLock<C::kNone>>("counted", "a correct count of sleepers")),
      simulated_only(
          global<CountedLock<C::kNoFence>>("counted_no_fence", "counts before its store is seen"),
          kStandstill + Oracle::kCycle, "the window is a store buffer's"),
      broken(global<CountedLock<C::kChecksFirst>>("counted_checks_first",
                                                  "counts before it frees the word"),
             kStandstill + Oracle::kCycle),
      broken(global<CountedLock<C::kWakesFirst>>("counted_wakes_first",
                                                 "wakes before it frees the word"),
             kStandstill + Oracle::kCycle),
  };
}

// A timeout and a wake-up, or a release, at once.
std::vector<Mutant> timeouts_and_releases() {
  using F = HandoverFault;
  return {
      control(global<GatedLock<true>>("gated", "waits for its gate with the timeout")),
      broken(global<GatedLock<false>>("gated_untimed", "waits for its gate without it"),
             {Oracle::kModel}),
      control(global<HandoverLock<F::kNone>>("handover", "a correct lock that is handed over")),
      control(global<HandoverLock<F::kGivesBack>>("handover_gives_back",
                                                  "hands on what came too late")),
      // As reported of cats-effect's Mutex: github.com/typelevel/cats-effect issue 3554, 2023.
      broken(global<HandoverLock<F::kGrantLost>>("handover_grant_lost",
                                                 "keeps what came too late, for nobody"),
             kStandstill + Oracle::kResidue + Oracle::kModel + Oracle::kCycle),
      // As reported of Shuttle's BatchSemaphore: github.com/awslabs/shuttle pull request 167, 2024.
      broken(global<HandoverLock<F::kGivesBackUntold>>(
                 "handover_gives_back_untold", "frees what came too late, and tells nobody"),
             kStandstill + Oracle::kCycle),
      broken(global<HandoverLock<F::kEarly>>("handover_early",
                                             "takes a timeout for whole milliseconds"),
             {Oracle::kModel}),
  };
}

std::vector<Mutant> counts_of_refusals() {
  const std::vector<Oracle> freed = kTwoInside + Oracle::kOrdering + Oracle::kModel;
  return {
      control(global<RefusalCountLock<64>>("refusals", "a correct count of refusals")),
      broken(global<RefusalCountLock<7>>("refusals_7_bits", "128 refusals free it"), freed),
      broken(global<RefusalCountLock<8>>("refusals_8_bits", "256 refusals free it"), freed),
      broken(global<RefusalCountLock<4>>("refusals_4_bits", "16 refusals free it"), freed),
  };
}

std::vector<Mutant> telling_owners() {
  using F = TellingFault;
  const std::vector<Oracle> said = {Oracle::kModel};
  return {
      control(lock_under_test<TellingLock<F::kNone>>("telling", "says correctly who holds it")),
      broken(lock_under_test<TellingLock<F::kOwnerStays>>("telling_owner_stays",
                                                          "is its last holder's for ever"),
             said),
      broken(lock_under_test<TellingLock<F::kTryIsNoOwner>>("telling_try_is_no_owner",
                                                            "try_lock() makes nobody its owner"),
             said),
      broken(lock_under_test<TellingLock<F::kAnybodysOwner>>("telling_anybodys_owner",
                                                             "is everybody's while it is held"),
             said),
      broken(lock_under_test<TellingLock<F::kStaysLocked>>("telling_stays_locked",
                                                           "counts a refusal as a hold"),
             said),
  };
}

// Two of some thousands of keys have one lock.
std::vector<Mutant> hashes_of_keys() {
  const std::vector<Oracle> shared = {Oracle::kIndependence};
  return {
      control(lock_under_test<HashedTable<64>>("hashed", "a correct table of mutexes")),
      real_only(lock_under_test<HashedTable<12>>("hashed_12_bits", "12 bits of a hash are a key"),
                shared),
      real_only(lock_under_test<HashedTable<16>>("hashed_16_bits", "16 bits of a hash are a key"),
                shared),
      real_only(lock_under_test<HashedTable<20>>("hashed_20_bits", "20 bits of a hash are a key"),
                shared),
  };
}

std::vector<Mutant> orders_of_arrival() {
  using F = ArrivalFault;
  const std::vector<Oracle> unfair = {Oracle::kFairness};
  return {
      control(global<ServedLock<false>>("served", "a correct thread that serves in order")),
      broken(global<ServedLock<true>>("served_last_first", "a thread that serves the last first"),
             unfair),
      control(global<ArrivalLock<F::kNone>>("arrival", "a correct queue")),
      broken(global<ArrivalLock<F::kLastFirst>>("arrival_last_first", "a stack, and no queue"),
             unfair),
      broken(global<ArrivalLock<F::kSecondFirst>>("arrival_second_first",
                                                  "serves the second one first"),
             unfair),
      broken(global<ArrivalLock<F::kAnybody>>("arrival_anybody", "wakes all, from the last one on"),
             unfair),
      broken(global<ArrivalLock<F::kNewcomer>>("arrival_newcomer",
                                               "is free for others until the first one wakes up"),
             unfair),
  };
}

// Of these a thread gets nothing for as long as another one uses the lock now and then.
std::vector<Mutant> forgotten_while_others_compete() {
  return {
      control(
          global<PreferringLock<0>>("preferring", "a correct lock that knows its first holder")),
      broken(global<PreferringLock<200>>("preferring_200_ms",
                                         "is free for others 200 ms after its first holder"),
             kStandstill),
  };
}

RegisteredLock table(RegisteredLock entry) {
  entry.abilities.reclaims = true;
  return entry;
}

std::vector<Mutant> growing_memory() {
  using F = KeepingFault;
  const std::vector<Oracle> grows = {Oracle::kResidue};
  return {
      control(table(lock_under_test<KeepingTable<F::kNone>>("keeping", "a correct table"))),
      real_only(table(lock_under_test<KeepingTable<F::kPerKey>>("keeping_per_key",
                                                                "keeps something for each key")),
                grows),
      broken(table(lock_under_test<KeepingTable<F::kPerHold>>("keeping_per_hold",
                                                              "keeps something for each hold")),
             grows),
      real_only(table(lock_under_test<KeepingTable<F::kLogs>>("keeping_logs",
                                                              "notes each hold in an array")),
                grows),
      control(global<RecordingLock<true>>("recording", "frees a record that it does not need")),
      simulated_only(global<RecordingLock<false>>("recording_keeps", "keeps such a record"), grows,
                     "a hold in some hundreds leaves a few bytes"),
  };
}

std::vector<Mutant> orders_of_pairs() {
  return {
      control(lock_under_test<PagedLocks<true>>("paged", "two keys in an order of its own")),
      broken(lock_under_test<PagedLocks<false>>("paged_as_asked", "two keys in no order"), kCircle),
  };
}

// Of these unlock() touches what another thread may have destroyed.
std::vector<Mutant> destroyed_by_the_last() {
  using namespace published;
  const std::vector<Oracle> late = {Oracle::kLifetime};
  return {
      control(
          global<PostedSemaphore<true>>("glibc_12674_fixed", "sem_post() after its correction")),
      broken(global<PostedSemaphore<false>>("glibc_12674", "sem_post() counts sleepers too late"),
             late),
      control(global<MutexOfAKind<true>>("glibc_13690_fixed", "the unlock after its correction")),
      broken(global<MutexOfAKind<false>>("glibc_13690", "unlock reads its kind too late"), late),
      control(
          global<SignalledLock<true>>("cpython_38106_fixed", "the release after its correction")),
      broken(global<SignalledLock<false>>("cpython_38106", "release signals too late"), late),
  };
}

// A thread that forked while it held goes on in the child, where no other thread is left.
std::vector<Mutant> forked_by_the_holder() {
  using F = ForkedFault;
  return {
      control(global<ForkedLock<F::kNone>>("forked", "knows its owner by an address")),
      real_only(global<ForkedLock<F::kTaskNumber>>("forked_task_number",
                                                   "knows its owner by the kernel's number"),
                kStandstill),
      real_only(global<ForkedLock<F::kProcessNumber>>("forked_process_number",
                                                      "knows its owner by process and thread"),
                kStandstill),
      real_only(global<ForkedLock<F::kHelper>>("forked_helper", "a thread of its own releases it"),
                kStandstill),
  };
}

template <class L>
RegisteredLock leases(const char* name, const char* fault) {
  RegisteredLock entry = lock_under_test<L>(name, fault);
  entry.abilities.capacity = L::kLeases;
  return entry;
}

std::vector<Mutant> published_faults() {
  using namespace published;
  constexpr char kNext[] = "a later release wakes whoever was forgotten";
  return {
      control(leases<CountingLeases<true>>("libcxx_46357_fixed", "notifies each time")),
      simulated_only(leases<CountingLeases<false>>("libcxx_46357", "notifies from 0 alone"),
                     kStandstill, kNext),
      control(global<ParkedBitLock<true>>("parking_lot_465_fixed", "clears its bit in the queue")),
      simulated_only(
          global<ParkedBitLock<false>>("parking_lot_465", "clears the bit of the next sleeper"),
          kStandstill + Oracle::kCycle,
          "a timeout and a request meet in a window of some nanoseconds"),
      control(global<PermitLock<true>>("jdk_6822370_fixed", "a barrier behind the permit")),
      simulated_only(global<PermitLock<false>>("jdk_6822370", "no barrier behind the permit"),
                     kStandstill + Oracle::kCycle, "the window is a store buffer's"),
      control(global<OwnFutexLock<true>>("asterinas_1642_fixed", "looks under the list's lock")),
      broken(global<OwnFutexLock<false>>("asterinas_1642", "looks before it has the list's lock"),
             kStandstill + Oracle::kCycle),
      control(global<TwoSides<true>>("peterson_1981", "two sides that take turns")),
      broken(global<TwoSides<false>>("hyman_1966", "two sides, of which both may go on"),
             // unlock() frees the side of the holder that came last: with two inside, the other
             // side stays taken for good.
             kTwoInside + Oracle::kOrdering + Oracle::kProgress + Oracle::kResidue),
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
  const std::vector<Oracle> stuck = kStandstill + Oracle::kCycle + Oracle::kResidue;
  return {
      control(global<RtMutex<R::kNone>>("rt_mutex", "rt_mutex after both corrections")),
      simulated_only(
          global<RtMutex<R::kClearsAlways>>("linux_dbb26055", "clears a bit over a release"),
          stuck + Oracle::kModel + Oracle::kOrdering + Oracle::kExclusion, kWindow),
      simulated_only(global<RtMutex<R::kNoAcquire>>("linux_1c0908d8", "takes it without acquiring"),
                     {Oracle::kOrdering}, kForgiven),
      control(global<ArbitratedLock<true>>("libnx_120_fixed", "leaves the word to the kernel")),
      simulated_only(global<ArbitratedLock<false>>("libnx_120", "frees it, then hands it over"),
                     kTwoInside + Oracle::kOrdering + Oracle::kProgress, kWindow),
      control(global<NeedToWakeLock<true>>("serenity_20425_fixed", "sleeps while it is said")),
      simulated_only(
          global<NeedToWakeLock<false>>("serenity_20425", "sleeps though nobody is told"),
          kStandstill + Oracle::kCycle, kWindow),
  };
}

std::vector<Mutant> published_by_runtimes() {
  using namespace published;
  constexpr char kBuffer[] = "the window is a store buffer's";
  constexpr char kRare[] = "sleeps end without a reason only when signals arrive";
  constexpr char kNext[] = "a later release wakes whoever was forgotten";
  return {
      control(global<EventMutex<true>>("mdev_7026_fixed", "a full barrier before it looks")),
      simulated_only(global<EventMutex<false>>("mdev_7026", "looks for waiters too early"),
                     kStandstill + Oracle::kCycle, kBuffer),
      control(global<RawMutex<true>>("cpython_148820_fixed", "sleeps until it is woken")),
      simulated_only(global<RawMutex<false>>("cpython_148820", "takes any end of a sleep for one"),
                     {Oracle::kLifetime, Oracle::kProgress, Oracle::kCycle}, kRare),
      control(global<LimitedLocks<true>>("rocksdb_13585_fixed", "gives up at the limit")),
      simulated_only(global<LimitedLocks<false>>("rocksdb_13585", "neither waits nor gives up"),
                     {Oracle::kModel, Oracle::kProgress},
                     "the deadline passes before the first wait"),
      control(global<RestOfTimeLock<true>>("boost_9079_fixed", "no time is left, no wait")),
      broken(global<RestOfTimeLock<false>>("boost_9079", "waits forever if no time is left"),
             {Oracle::kModel, Oracle::kProgress, Oracle::kCycle}),
      control(
          permits(global<SharedReleases<true>>("jdk_6801020_fixed", "a release leaves a mark"))),
      simulated_only(
          permits(global<SharedReleases<false>>("jdk_6801020", "two releases wake one thread")),
          kStandstill, kNext),
  };
}

}  // namespace

std::vector<Mutant> mutants_by_cause() {
  std::vector<Mutant> all;
  for (auto part : {inside_of_calls, timeouts_and_releases, counts_of_refusals, telling_owners,
                    hashes_of_keys, orders_of_arrival, forgotten_while_others_compete,
                    growing_memory, orders_of_pairs, destroyed_by_the_last, forked_by_the_holder,
                    published_faults, published_by_kernels, published_by_runtimes}) {
    for (Mutant& mutant : part()) all.push_back(std::move(mutant));
  }
  return all;
}

}  // namespace lockbench::mutants
