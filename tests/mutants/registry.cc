// SPDX-License-Identifier: Apache-2.0

#include "tests/mutants/registry.h"

#include <chrono>
#include <memory>
#include <string_view>
#include <utility>

#include "harness/stress/lock_adapter.h"
#include "harness/stress/shared_holds.h"
#include "primitives/as_published/keyed_as_published.h"
#include "primitives/as_published/lease_as_published.h"
#include "primitives/as_published/random_mutexes_as_published.h"
#include "primitives/as_published/reentrant_as_published.h"
#include "primitives/lease_pool.h"
#include "tests/mutants/asymmetric_lock.h"
#include "tests/mutants/condvar_lock.h"
#include "tests/mutants/futex_lock.h"
#include "tests/mutants/key_set.h"
#include "tests/mutants/key_table.h"
#include "tests/mutants/leases.h"
#include "tests/mutants/mutant.h"
#include "tests/mutants/named_table.h"
#include "tests/mutants/nesting_lock.h"
#include "tests/mutants/node_lock.h"
#include "tests/mutants/real_only.h"
#include "tests/mutants/refusing_lock.h"
#include "tests/mutants/shared_lock.h"
#include "tests/mutants/spin_lock.h"
#include "tests/mutants/stripes.h"
#include "tests/mutants/ticket_lock.h"
#include "tests/mutants/timed_lock.h"
#include "tests/mutants/told_leases.h"
#include "tests/mutants/watchdog_lock.h"

namespace lockbench::mutants {
namespace {

RegisteredLock promising_fairness(RegisteredLock entry) {
  entry.abilities.fair = true;
  return entry;
}

std::vector<Mutant> spinning() {
  using F = SpinFault;
  return {
      control(global<SpinLock<F::kNone>>("spin", "a correct test-and-set lock")),
      broken(global<SpinLock<F::kTwoSteps>>("spin_two_steps", "looks, then takes, in two steps"),
             kTwoInside),
      simulated_only(global<SpinLock<F::kRelaxedUnlock>>("spin_relaxed_unlock",
                                                         "unlocks with a relaxed store"),
                     {Oracle::kOrdering}, kForgiven),
      simulated_only(
          global<SpinLock<F::kRelaxedLock>>("spin_relaxed_lock", "locks with a relaxed exchange"),
          {Oracle::kOrdering}, kForgiven),
      broken(global<SpinLock<F::kNothing>>("spin_nothing", "a lock that does nothing"), kTwoInside),
      broken(global<SpinLock<F::kGivesUp>>("spin_gives_up", "goes in after having waited for long"),
             kTwoInside),
      broken(promising_fairness(global<SpinLock<F::kBacksOff>>(
                 "spin_backs_off", "promises to be fair, and lets others go before for ever")),
             {Oracle::kFairness}),
      control(global<SpinLock<F::kBacksOff>>("spin_backs_off_allowed",
                                             "the same, which promises no fairness")),
      broken(global<SpinLock<F::kSpuriousTry>>("spin_spurious_try",
                                               "try_lock() fails though nobody is near"),
             {Oracle::kModel, Oracle::kResidue}),
      trying_in_vain(control(global<SpinLock<F::kSpuriousTry>>(
          "spin_spurious_try_allowed", "the same, which does not promise otherwise"))),
      trying_in_vain(control(
          global<RefusingLock<RefusalKind::kAlways>>("never_tries", "try_lock() always fails"))),
      trying_in_vain(broken(global<RefusingLock<RefusalKind::kRemembers>>(
                                "tries_no_more", "try_lock() fails for ever once it met a holder"),
                            {Oracle::kResidue})),
      trying_in_vain(control(
          global<LateLock>("late", "a correct lock that is free some time after unlock()"))),
  };
}

std::vector<Mutant> sleeping() {
  using F = FutexFault;
  using C = CondvarFault;
  return {
      control(global<FutexLock<F::kNone>>("futex", "a correct futex lock")),
      control(global<SlowLock>("slow", "a correct lock that takes its time")),
      broken(global<FutexLock<F::kForgetsWaiters>>("futex_forgets_waiters",
                                                   "retakes as held, with no waiters"),
             kStandstill),
      broken(global<FutexLock<F::kWaitsOnFreshValue>>("futex_waits_on_fresh_value",
                                                      "sleeps on whatever the word is by then"),
             kStandstill),
      broken(global<FutexLock<F::kNoCheckAfterWake>>("futex_no_check_after_wake",
                                                     "takes a wake-up for the lock"),
             kTwoInside + Oracle::kResidue),
      broken(global<FutexLock<F::kWakesNobody>>("futex_wakes_nobody", "unlocks without waking"),
             kStandstill),
      control(global<CondvarLock<C::kNone>>("condvar", "a correct lock of a condition variable")),
      broken(global<CondvarLock<C::kIfForWhile>>("condvar_if", "waits with `if` for `while`"),
             kTwoInside),
      broken(global<CondvarLock<C::kNotifiesOutside>>("condvar_notifies_early",
                                                      "notifies before the lock is free"),
             kStandstill),
  };
}

RegisteredLock table(RegisteredLock entry) {
  entry.abilities.reclaims = true;
  return entry;
}

std::vector<Mutant> tables() {
  using F = TableFault;
  const std::vector<Oracle> torn =
      kTwoInside + Oracle::kLifetime + Oracle::kCrash + Oracle::kOrdering + Oracle::kProgress;
  return {
      control(table(lock_under_test<KeyTable<F::kNone>>("table", "a correct table of mutexes"))),
      broken(table(lock_under_test<KeyTable<F::kCountsBeforeRelease>>(
                 "table_counts_before_release", "lowers the entry's count before the release")),
             torn),
      broken(table(lock_under_test<KeyTable<F::kLooksUpOutside>>(
                 "table_looks_up_outside", "looks the entry up outside of the table's lock")),
             torn),
      broken(table(lock_under_test<KeyTable<F::kNeverReclaims>>(
                 "table_never_reclaims", "compares the count with the wrong thing")),
             {Oracle::kResidue}),
      broken(table(lock_under_test<KeyTable<F::kErasesAlways>>(
                 "table_erases_always", "erases an entry whatever its count")),
             torn),
      broken(with_programs(table(lock_under_test<KeyTable<F::kUnlocksAnother>>(
                               "table_unlocks_another", "unlocks the entry of another key")),
                           {"L0 L1 U U L0 U"}),
             torn + Oracle::kModel + Oracle::kResidue),
      broken(table(lock_under_test<KeyTable<F::kOneForAll>>(
                 "table_one_for_all", "has one entry for all keys, and promises one for each")),
             {Oracle::kIndependence, Oracle::kCycle, Oracle::kModel}),
  };
}

std::vector<Mutant> striping() {
  using F = StripeFault;
  return {
      control(lock_under_test<Stripes<F::kNone>>("stripes", "two correct stripes")),
      broken(lock_under_test<Stripes<F::kAsAsked>>(
                 "stripes_as_asked", "takes two keys in the order in which they were named"),
             kCircle),
      broken(with_programs(lock_under_test<Stripes<F::kOneTwice>>(
                               "stripes_one_twice", "takes a stripe twice for two keys"),
                           {"B0+2 U"}),
             kCircle + Oracle::kProgress),
      // What lies before the array is never the same mutex twice: so two are inside, and nothing
      // orders them; and what is unlocked is not what was locked, so that somebody waits for ever.
      broken(lock_under_test<Stripes<F::kLeastInteger>>(
                 "stripes_least_integer", "an index from the least integer's absolute value"),
             kTwoInside + Oracle::kOrdering + Oracle::kCrash + Oracle::kProgress),
  };
}

// Two keys are one, or their mutex is looked for by one key and kept by another.
std::vector<Mutant> parts_of_keys() {
  using F = TableFault;
  using N = NameFault;
  using String = std::string_view;
  const std::vector<Oracle> shared = {Oracle::kIndependence, Oracle::kCycle, Oracle::kModel,
                                      Oracle::kProgress};
  return {
      broken(table(lock_under_test<KeyTable<F::kLow8>>("table_low_8",
                                                       "takes keys of equal low 8 bits for one")),
             shared),
      broken(table(lock_under_test<KeyTable<F::kLow16>>("table_low_16",
                                                        "takes keys of equal low 16 bits for one")),
             shared),
      broken(table(lock_under_test<KeyTable<F::kLow32>>("table_low_32",
                                                        "takes keys of equal low 32 bits for one")),
             shared),
      control(lock_under_test<NamedTable<N::kNone>, String>("names", "a correct table of names")),
      broken(lock_under_test<NamedTable<N::kLength>, String>("names_by_length",
                                                             "takes names of one length for one"),
             shared),
      broken(lock_under_test<NamedTable<N::kPrefix>, String>(
                 "names_by_prefix", "takes names with one beginning for one"),
             shared),
      broken(lock_under_test<NamedTable<N::kZero>, String>(
                 "names_to_zero", "takes names that are equal up to a zero byte for one"),
             shared),
  };
}

std::vector<Mutant> tickets() {
  using F = TicketFault;
  const auto ticket = []<F kFault>(const char* name, const char* fault) {
    RegisteredLock entry = global<TicketLock<kFault>>(name, fault);
    stress::add_promises(lock_promises(TicketLock<kFault>::kPromises), entry.abilities);
    return entry;
  };
  return {
      control(ticket.operator()<F::kNone>("ticket", "a correct ticket lock")),
      broken(ticket.operator()<F::kServes8>("ticket_serves_8", "serves numbers of 8 bits"),
             kStandstill + Oracle::kResidue),
      broken(ticket.operator()<F::kServes16>("ticket_serves_16", "serves numbers of 16 bits"),
             kStandstill + Oracle::kResidue),
      broken(ticket.operator()<F::kBarges>("ticket_barges",
                                           "promises first come, first served, and is not"),
             {Oracle::kFairness}),
      broken(ticket.operator()<F::kTryBlocks>("ticket_try_blocks", "try_lock() waits"),
             {Oracle::kModel}),
  };
}

std::vector<Mutant> timing() {
  using F = TimedFault;
  constexpr char kSeldom[] = "the kernel ends no sleep without a reason, and x86 fails no exchange";
  return {
      control(global<TimedLock<F::kNone>>("timed", "a correct futex lock with timeouts")),
      broken(global<TimedLock<F::kNever>>("timed_never", "its timeouts never come"),
             {Oracle::kModel, Oracle::kProgress}),
      simulated_only(global<TimedLock<F::kLate>>("timed_late", "its timeouts come 1000 times late"),
                     {Oracle::kModel}, "a slow machine is late, too"),
      broken(global<TimedLock<F::kTakesInVain>>("timed_takes_in_vain",
                                                "may take the lock and say that it did not"),
             kStandstill + Oracle::kResidue + Oracle::kModel + Oracle::kCycle),
      simulated_only(
          global<TimedLock<F::kWeakUnlock>>("timed_weak_unlock", "unlocks by one weak exchange"),
          kStandstill + Oracle::kResidue + Oracle::kModel, kSeldom),
      simulated_only(global<TimedLock<F::kOneSleep>>("timed_one_sleep",
                                                     "takes the end of a sleep for the lock"),
                     kTwoInside + Oracle::kResidue + Oracle::kOrdering + Oracle::kModel, kSeldom),
  };
}

std::vector<Mutant> allocating() {
  using F = NodeFault;
  constexpr char kHeap[] = "the heap does not tell; AddressSanitizer does";
  return {
      control(global<NodeLock<F::kNone>>("node", "a correct lock that allocates for each hold")),
      broken(global<NodeLock<F::kLeaks>>("node_leaks", "frees nothing"), {Oracle::kResidue}),
      simulated_only(global<NodeLock<F::kFreesTwice>>("node_frees_twice", "frees an object twice"),
                     {Oracle::kLifetime}, kHeap),
      simulated_only(
          global<NodeLock<F::kStoresTooLate>>("node_stores_too_late", "stores to what is freed"),
          {Oracle::kLifetime}, kHeap),
  };
}

RegisteredLock nesting(RegisteredLock entry) {
  entry.abilities.refuses_non_owners = true;
  return entry;
}

std::vector<Mutant> nests() {
  using F = NestingFault;
  // A nest of 257, of which one is given back before the other thread tries.
  std::string deep;
  for (int i = 0; i < 257; ++i) deep += "L0 ";
  deep += "U A1 ";
  for (int i = 0; i < 256; ++i) deep += "U ";
  return {
      control(with_programs(
          nesting(lock_under_test<NestingLock<F::kNone>>("nesting", "a correct owner and depth")),
          {deep + "| T0 U"})),
      broken(nesting(lock_under_test<NestingLock<F::kCountLost>>("nesting_count_lost",
                                                                 "leaves no nest: depth -= 0")),
             {Oracle::kResidue, Oracle::kModel, Oracle::kProgress}),
      broken(nesting(lock_under_test<NestingLock<F::kFirstFreesAll>>(
                 "nesting_first_frees_all", "the first unlock of a nest frees all")),
             {Oracle::kModel}),
      broken(nesting(lock_under_test<NestingLock<F::kAnybodyUnlocks>>("nesting_anybody_unlocks",
                                                                      "unlocks for whoever asks")),
             // Who was robbed of the lock may wait for itself afterwards.
             {Oracle::kModel, Oracle::kProgress}),
      broken(with_programs(nesting(lock_under_test<NestingLock<F::kOverflows>>(
                               "nesting_overflows", "its depth ends at 255")),
                           {deep + "| T0 U"}),
             {Oracle::kModel, Oracle::kProgress, Oracle::kResidue}),
      broken(nesting(lock_under_test<NestingLock<F::kOverflows10>>("nesting_10_bits",
                                                                   "its depth ends at 1,023")),
             {Oracle::kExclusion}),
      real_only(nesting(lock_under_test<NestingLock<F::kOverflows16>>("nesting_16_bits",
                                                                      "its depth ends at 65,535")),
                {Oracle::kExclusion}),
      simulated_only(nesting(lock_under_test<NestingLock<F::kLoadsOwnerTwice>>(
                         "nesting_loads_owner_twice", "decides on two possible of the owner")),
                     kTwoInside + Oracle::kModel + Oracle::kOrdering,
                     "the window lies between two loads: a nanosecond"),
  };
}

std::vector<Mutant> leasing() {
  using F = LeaseFault;
  RegisteredLock asks_again = lock_under_test<Leases<F::kNone>>(
      "lease_asked_for_by_holders", "a second lease, while all are held by askers");
  asks_again.abilities.nests_leases = true;
  RegisteredLock random = lock_under_test<Leases<F::kRandomMutex>>(
      "lease_random_mutex_nested", "a mutex of an array picked blindly, nested");
  random.abilities.nests_leases = true;
  return {
      control(lock_under_test<Leases<F::kNone>>("leases", "a correct queue of two leases")),
      // Two with one lease are one more inside than there are leases. When the first has gone, it
      // shows that the second did not get the lease from it: nothing orders the two.
      broken(lock_under_test<Leases<F::kTwice>>("lease_twice", "hands a lease out twice"),
             {Oracle::kLease, Oracle::kExclusion, Oracle::kOrdering}),
      broken(lock_under_test<Leases<F::kLostOnThrow>>("lease_lost_on_throw",
                                                      "does not come back when the work throws"),
             {Oracle::kResidue, Oracle::kProgress}),
      broken(std::move(asks_again), kCircle),
      broken(std::move(random), kCircle + Oracle::kProgress),
  };
}

RegisteredLock watched(RegisteredLock entry) {
  entry.programs = {"L0 R3000000 U | L0 U"};
  return entry;
}

template <ToldFault kFault>
RegisteredLock told_leases(const char* name, const char* fault) {
  RegisteredLock entry = lock_under_test<ToldLeases<kFault>>(name, fault);
  entry.abilities.capacity = ToldLeases<kFault>::kLeases;
  return entry;
}

// Who comes to wait behind the one that is told. The next release tells him after all: he is
// forgotten for good only where one who was served waits for his end.
std::vector<Mutant> telling() {
  using F = ToldFault;
  constexpr char kToldLater[] = "a later release wakes whoever was forgotten";
  const std::vector<std::string> programs = {"B0+1 U | L0 A2 U | L1 U"};
  return {
      control(told_leases<F::kNone>("told_leases", "leases, of which one waiter tells the next")),
      simulated_only(told_leases<F::kTellsNoOther>("told_leases_tells_no_other",
                                                   "whoever was told of a lease tells nobody"),
                     kStandstill, kToldLater),
      control(with_programs(
          below(lock_under_test<KeySet<F::kNone>>("key_set",
                                                  "keys of one word, of which one waiter tells the "
                                                  "next")),
          programs)),
      simulated_only(
          with_programs(below(lock_under_test<KeySet<F::kTellsNoOther>>(
                            "key_set_tells_no_other", "whoever was told of a key tells nobody")),
                        programs),
          kStandstill + Oracle::kIndependence, kToldLater),
  };
}

std::vector<Mutant> watchdogs() {
  using F = WatchdogFault;
  const std::vector<Oracle> forced = kTwoInside + Oracle::kToken;
  return {
      control(watched(
          lock_under_test<WatchdogLock<F::kNone>>("watchdog", "a watchdog that only watches"))),
      broken(watched(lock_under_test<WatchdogLock<F::kForces>>(
                 "watchdog_forces", "releases a holder that is still inside")),
             forced),
      broken(watched(lock_under_test<WatchdogLock<F::kForcesBoth>>(
                 "watchdog_forces_both", "the late holder then releases the next one's hold")),
             forced),
      broken(watched(lock_under_test<WatchdogLock<F::kSameToken>>("watchdog_same_token",
                                                                  "hands out a token twice")),
             {Oracle::kToken}),
  };
}

std::vector<Mutant> asymmetric() {
  using F = AsymmetricFault;
  return {
      control(global<AsymmetricLock<F::kNone>>("asymmetric", "an owner who pays no barrier")),
      simulated_only(
          global<AsymmetricLock<F::kNoBarrier>>("asymmetric_no_barrier", "nobody pays the barrier"),
          kTwoInside + Oracle::kOrdering, "the window is a store buffer's: some nanoseconds"),
  };
}

template <class Pool>
RegisteredLock nested_leases(const char* name, const char* fault) {
  RegisteredLock entry{
      .name = name, .summary = fault, .abilities = stress::abilities_of<Pool, std::uint64_t>()};
  entry.abilities.nests_leases = true;
  entry.make = [](std::uint64_t keys) -> std::unique_ptr<stress::LockUnderTest> {
    return std::make_unique<stress::LockAdapter<Pool, std::uint64_t>>(
        std::make_unique<Pool>(keys, 2U));
  };
  return entry;
}

// Of two leases that are free, the thread that was served first may return last.
std::vector<Mutant> in_order() {
  RegisteredLock leases = nested_leases<BasicLeasePool<LeaseOrder::kFifo>>(
      "leases_in_order", "two leases, first come first served");
  leases.abilities.capacity = 2;
  leases.abilities.nests_leases = false;
  return {control(std::move(leases))};
}

template <SharedFault kFault>
RegisteredLock shared(const char* name, const char* fault) {
  return lock_under_test<ReadersFirst<GlobalLock<SharedLock<kFault>>>>(name, fault);
}

std::vector<Mutant> sharing() {
  using F = SharedFault;
  constexpr char kShort[] = "a reader is inside for some nanoseconds";
  return {
      control(shared<F::kNone>("shared", "a correct reader-writer lock")),
      broken(shared<F::kReaderBesideWriter>("shared_reader_beside_writer",
                                            "a reader goes in without looking for a writer"),
             kTwoInside + Oracle::kOrdering),
      simulated_only(shared<F::kWriterBesideReader>("shared_writer_beside_reader",
                                                    "a writer goes in without looking for readers"),
                     kTwoInside + Oracle::kOrdering, kShort),
      simulated_only(shared<F::kReaderFreesAll>("shared_reader_frees_all",
                                                "the first reader that leaves frees the lock"),
                     kTwoInside + Oracle::kOrdering + Oracle::kProgress + Oracle::kResidue, kShort),
      broken(shared<F::kCountLost>("shared_count_lost", "a reader that leaves stays counted"),
             kStandstill + Oracle::kResidue + Oracle::kModel),
  };
}

// The forms that others published, faults included.
std::vector<Mutant> published() {
  using std::chrono::milliseconds;
  RegisteredLock watched = lock_under_test<KeyedAsPublished<>>(
      "keyed_as_published", "its watchdog releases after 1 ms", milliseconds(1));
  watched.abilities.nests_keys = false;
  watched.programs = {"L0 R3000000 U | L0 U"};
  RegisteredLock table = lock_under_test<KeyedAsPublished<>>(
      "keyed_as_published:timeout_ms=0", "looks a key up and adds it in two steps",
      milliseconds(0));
  table.abilities.nests_keys = false;
  RegisteredLock strangers =
      lock_under_test<ReentrantAsPublished<>>("reentrant_as_published", "unlocks for whoever asks");
  strangers.abilities.refuses_non_owners = true;
  return {
      broken(std::move(watched), kTwoInside),
      broken(std::move(table), kTwoInside + Oracle::kProgress + Oracle::kOrdering),
      // A release too many makes its count the greatest number, and whoever comes next waits for
      // an owner that does not exist: this fault also stalls.
      broken(std::move(strangers), {Oracle::kModel, Oracle::kProgress, Oracle::kCycle}),
      broken(nested_leases<LeaseAsPublished>("lease_as_published",
                                             "a second lease, while all are held by askers"),
             kCircle),
      // The check of independence takes all leases of a key itself, and may pick one twice.
      broken(nested_leases<RandomMutexesAsPublished>("random_mutexes_as_published",
                                                     "a second one of those picked blindly"),
             kCircle + Oracle::kProgress + Oracle::kIndependence),
  };
}

}  // namespace

std::vector<Mutant> mutants() {
  std::vector<Mutant> all;
  for (auto part : {spinning,
                    sleeping,
                    tables,
                    striping,
                    nests,
                    leasing,
                    telling,
                    watchdogs,
                    asymmetric,
                    in_order,
                    sharing,
                    published,
                    parts_of_keys,
                    tickets,
                    timing,
                    allocating,
                    mutants_by_cause,
                    mutants_by_dimension,
                    mutants_of_nodes_and_timeouts,
                    mutants_of_sizes_and_times,
                    mutants_of_libraries}) {
    for (Mutant& mutant : part()) {
      mutant.entry.abilities.strong_try = !mutant.may_try_in_vain;
      all.push_back(std::move(mutant));
    }
  }
  return all;
}

std::vector<RegisteredLock> for_real() {
  std::vector<RegisteredLock> all;
  for (Mutant& mutant : mutants()) {
    mutant.entry.expected_oracles = std::move(mutant.real);
    all.push_back(std::move(mutant.entry));
  }
  return all;
}

}  // namespace lockbench::mutants
