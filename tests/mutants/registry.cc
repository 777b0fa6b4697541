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
#include "tests/mutants/mutex_table.h"
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

std::vector<Mutant> spinning() {
  using F = SpinFault;
  return {
      control<SpinLock<F::kNone>>("spin", "a correct test-and-set lock"),
      broken<SpinLock<F::kTwoSteps>>("spin_two_steps", "looks, then takes, in two steps",
                                     kTwoInside),
      simulated_only<SpinLock<F::kRelaxedUnlock>>(
          "spin_relaxed_unlock", "unlocks with a relaxed store", {kOrdering}, kForgiven),
      simulated_only<SpinLock<F::kRelaxedLock>>(
          "spin_relaxed_lock", "locks with a relaxed exchange", {kOrdering}, kForgiven),
      broken<SpinLock<F::kNothing>>("spin_nothing", "a lock that does nothing", kTwoInside),
      broken<SpinLock<F::kGivesUp>>("spin_gives_up", "goes in after having waited for long",
                                    kTwoInside),
      promising_fairness(broken<SpinLock<F::kBacksOff>>(
          "spin_backs_off", "promises to be fair, and lets others go before for ever",
          {kFairness})),
      control<SpinLock<F::kBacksOff>>("spin_backs_off_allowed",
                                      "the same, which promises no fairness"),
      broken<SpinLock<F::kSpuriousTry>>(
          "spin_spurious_try", "try_lock() fails though nobody is near", {kModel, kResidue}),
      trying_in_vain(control<SpinLock<F::kSpuriousTry>>(
          "spin_spurious_try_allowed", "the same, which does not promise otherwise")),
      trying_in_vain(
          control<RefusingLock<RefusalKind::kAlways>>("never_tries", "try_lock() always fails")),
      trying_in_vain(broken<RefusingLock<RefusalKind::kRemembers>>(
          "tries_no_more", "try_lock() fails for ever once it met a holder", {kResidue})),
      trying_in_vain(
          control<LateLock>("late", "a correct lock that is free some time after unlock()")),
  };
}

std::vector<Mutant> sleeping() {
  using F = FutexFault;
  using C = CondvarFault;
  return {
      control<FutexLock<F::kNone>>("futex", "a correct futex lock"),
      control<SlowLock>("slow", "a correct lock that takes its time"),
      broken<FutexLock<F::kForgetsWaiters>>("futex_forgets_waiters",
                                            "retakes as held, with no waiters", kStandstill),
      broken<FutexLock<F::kWaitsOnFreshValue>>(
          "futex_waits_on_fresh_value", "sleeps on whatever the word is by then", kStandstill),
      broken<FutexLock<F::kNoCheckAfterWake>>(
          "futex_no_check_after_wake", "takes a wake-up for the lock", kTwoInside + kResidue),
      broken<FutexLock<F::kWakesNobody>>("futex_wakes_nobody", "unlocks without waking",
                                         kStandstill),
      control<CondvarLock<C::kNone>>("condvar", "a correct lock of a condition variable"),
      broken<CondvarLock<C::kIfForWhile>>("condvar_if", "waits with `if` for `while`", kTwoInside),
      broken<CondvarLock<C::kNotifiesOutside>>("condvar_notifies_early",
                                               "notifies before the lock is free", kStandstill),
  };
}

std::vector<Mutant> tables() {
  using F = TableFault;
  const std::vector<Oracle> torn = kTwoInside + kLifetime + kCrash + kOrdering + kProgress;
  const std::vector<Oracle> grows = {kResidue};
  return {
      control<KeyTable<F::kNone>>("table", "a correct table of mutexes"),
      broken<KeyTable<F::kCountsBeforeRelease>>(
          "table_counts_before_release", "lowers the entry's count before the release", torn),
      broken<KeyTable<F::kLooksUpOutside>>("table_looks_up_outside",
                                           "looks the entry up outside of the table's lock", torn),
      broken<KeyTable<F::kNeverReclaims>>("table_never_reclaims",
                                          "compares the count with the wrong thing", grows),
      broken<KeyTable<F::kErasesAlways>>("table_erases_always",
                                         "erases an entry whatever its count", torn),
      with_programs(broken<KeyTable<F::kUnlocksAnother>>("table_unlocks_another",
                                                         "unlocks the entry of another key",
                                                         torn + kModel + kResidue),
                    {"L0 L1 U U L0 U"}),
      broken<KeyTable<F::kOneForAll>>("table_one_for_all",
                                      "has one entry for all keys, and promises one for each",
                                      {kIndependence, kCycle, kModel}),
      real_only<KeyTable<F::kKeepsPerKey>>("keeping_per_key", "keeps something for each key",
                                           grows),
      broken<KeyTable<F::kKeepsPerHold>>("keeping_per_hold", "keeps something for each hold",
                                         grows),
      real_only<KeyTable<F::kKeepsLog>>("keeping_logs", "notes each hold in an array", grows),
  };
}

std::vector<Mutant> striping() {
  using F = StripeFault;
  return {
      control<Stripes<F::kNone>>("stripes", "two correct stripes"),
      broken<Stripes<F::kAsAsked>>("stripes_as_asked",
                                   "takes two keys in the order in which they were named", kCircle),
      with_programs(
          broken<Stripes<F::kOneTwice>>("stripes_one_twice", "takes a stripe twice for two keys",
                                        kCircle + kProgress),
          {"B0+2 U"}),
      // The memory before the array is never the same mutex twice: so two are inside, and nothing
      // orders them; and what is unlocked is not what was locked, so that somebody waits for ever.
      broken<Stripes<F::kLeastInteger>>("stripes_least_integer",
                                        "an index from the least integer's absolute value",
                                        kTwoInside + kOrdering + kCrash + kProgress),
  };
}

// Two keys are one, or their mutex is looked for by one key and kept by another.
std::vector<Mutant> parts_of_keys() {
  using F = TableFault;
  using N = NameFault;
  const std::vector<Oracle> shared = {kIndependence, kCycle, kModel, kProgress};
  return {
      broken<KeyTable<F::kNone, 8>>("table_low_8", "takes keys of equal low 8 bits for one",
                                    shared),
      broken<KeyTable<F::kNone, 16>>("table_low_16", "takes keys of equal low 16 bits for one",
                                     shared),
      broken<KeyTable<F::kNone, 32>>("table_low_32", "takes keys of equal low 32 bits for one",
                                     shared),
      control<NamedTable<N::kNone>>("names", "a correct table of names"),
      broken<NamedTable<N::kLength>>("names_by_length", "takes names of one length for one",
                                     shared),
      broken<NamedTable<N::kPrefix>>("names_by_prefix", "takes names with one beginning for one",
                                     shared),
      broken<NamedTable<N::kZero>>("names_to_zero",
                                   "takes names that are equal up to a zero byte for one", shared),
  };
}

std::vector<Mutant> tickets() {
  using F = TicketFault;
  const std::vector<Oracle> stuck = kStandstill + kResidue;
  return {
      control<TicketLock<F::kNone>>("ticket", "a correct ticket lock"),
      broken<TicketLock<F::kServes8>>("ticket_serves_8", "serves numbers of 8 bits", stuck),
      broken<TicketLock<F::kServes16>>("ticket_serves_16", "serves numbers of 16 bits", stuck),
      broken<TicketLock<F::kBarges>>("ticket_barges",
                                     "promises first come, first served, and is not", {kFairness}),
      broken<TicketLock<F::kTryBlocks>>("ticket_try_blocks", "try_lock() waits", {kModel}),
  };
}

std::vector<Mutant> timing() {
  using F = TimedFault;
  constexpr char kSeldom[] = "the kernel ends no sleep without a reason, and x86 fails no exchange";
  return {
      control<TimedLock<F::kNone>>("timed", "a correct futex lock with timeouts"),
      broken<TimedLock<F::kNever>>("timed_never", "its timeouts never come", {kModel, kProgress}),
      simulated_only<TimedLock<F::kLate>>("timed_late", "its timeouts come 1000 times late",
                                          {kModel}, "a slow machine is late, too"),
      broken<TimedLock<F::kTakesInVain>>("timed_takes_in_vain",
                                         "may take the lock and say that it did not",
                                         kStandstill + kResidue + kModel + kCycle),
      simulated_only<TimedLock<F::kWeakUnlock>>("timed_weak_unlock", "unlocks by one weak exchange",
                                                kStandstill + kResidue + kModel, kSeldom),
      simulated_only<TimedLock<F::kOneSleep>>("timed_one_sleep",
                                              "takes the end of a sleep for the lock",
                                              kTwoInside + kResidue + kOrdering + kModel, kSeldom),
  };
}

std::vector<Mutant> allocating() {
  using F = NodeFault;
  constexpr char kHeap[] = "the heap does not tell; AddressSanitizer does";
  return {
      control<NodeLock<F::kNone>>("node", "a correct lock that allocates for each hold"),
      broken<NodeLock<F::kLeaks>>("node_leaks", "frees nothing", {kResidue}),
      simulated_only<NodeLock<F::kFreesTwice>>("node_frees_twice", "frees an object twice",
                                               {kLifetime}, kHeap),
      simulated_only<NodeLock<F::kStoresTooLate>>("node_stores_too_late", "stores to what is freed",
                                                  {kLifetime}, kHeap),
  };
}

std::vector<Mutant> nests() {
  using F = NestingFault;
  // A nest of 257, of which one is given back before the other thread tries.
  std::string deep;
  for (int i = 0; i < 257; ++i) deep += "L0 ";
  deep += "U A1 ";
  for (int i = 0; i < 256; ++i) deep += "U ";
  const std::vector<std::string> nested = {deep + "| T0 U"};
  return {
      with_programs(control<NestingLock<F::kNone>>("nesting", "a correct owner and depth"), nested),
      broken<NestingLock<F::kCountLost>>("nesting_count_lost", "leaves no nest: depth -= 0",
                                         {kResidue, kModel, kProgress}),
      broken<NestingLock<F::kFirstFreesAll>>(
          "nesting_first_frees_all", "the first unlock of a nest frees all", {kModel, kExclusion}),
      // Who was robbed of the lock may wait for itself afterwards.
      broken<NestingLock<F::kAnybodyUnlocks>>("nesting_anybody_unlocks", "unlocks for whoever asks",
                                              {kModel, kProgress}),
      with_programs(broken<NestingLock<F::kNone, 8>>("nesting_overflows", "its depth ends at 255",
                                                     {kModel, kProgress, kResidue}),
                    nested),
      broken<NestingLock<F::kNone, 10>>("nesting_10_bits", "its depth ends at 1,023", {kExclusion}),
      real_only<NestingLock<F::kNone, 16>>("nesting_16_bits", "its depth ends at 65,535",
                                           {kExclusion}),
      simulated_only<NestingLock<F::kLoadsOwnerTwice>>(
          "nesting_loads_owner_twice", "decides on two possible of the owner",
          kTwoInside + kModel + kOrdering + kProgress,
          "the window lies between two loads: a nanosecond"),
  };
}

std::vector<Mutant> leasing() {
  using F = LeaseFault;
  RegisteredLock asks_again = lock_under_test<Leases<F::kNone>>(
      "lease_asked_for_by_holders", "a second lease, while all are held by askers");
  asks_again.abilities.nests_leases = true;
  return {
      control<Leases<F::kNone>>("leases", "a correct queue of two leases"),
      // Two with one lease are one more inside than there are leases. When the first has gone, it
      // shows that the second did not get the lease from it: nothing orders the two.
      broken<Leases<F::kTwice>>("lease_twice", "hands a lease out twice",
                                {kLease, kExclusion, kOrdering}),
      broken<Leases<F::kLostOnThrow>>(
          "lease_lost_on_throw", "does not come back when the work throws", {kResidue, kProgress}),
      broken(std::move(asks_again), kCircle),
  };
}

// Who comes to wait behind the one that is told. The next release tells him after all: he is
// forgotten for good only where one who was served waits for his end.
std::vector<Mutant> telling() {
  using F = ToldFault;
  constexpr char kToldLater[] = "a later release wakes whoever was forgotten";
  const std::vector<std::string> programs = {"B0+1 U | L0 A2 U | L1 U"};
  return {
      control(leases<ToldLeases<F::kNone>>("told_leases",
                                           "leases, of which one waiter tells the next")),
      simulated_only(leases<ToldLeases<F::kTellsNoOther>>(
                         "told_leases_tells_no_other", "whoever was told of a lease tells nobody"),
                     kStandstill, kToldLater),
      with_programs(below(control<KeySet<F::kNone>>(
                        "key_set", "keys of one word, of which one waiter tells the next")),
                    programs),
      with_programs(below(simulated_only<KeySet<F::kTellsNoOther>>(
                        "key_set_tells_no_other", "whoever was told of a key tells nobody",
                        kStandstill + kIndependence, kToldLater)),
                    programs),
  };
}

std::vector<Mutant> watchdogs() {
  using F = WatchdogFault;
  const std::vector<Oracle> forced = kTwoInside + kToken;
  return {
      control<WatchdogLock<F::kNone>>("watchdog", "a watchdog that only watches"),
      broken<WatchdogLock<F::kForces>>("watchdog_forces", "releases a holder that is still inside",
                                       forced),
      broken<WatchdogLock<F::kForcesBoth>>(
          "watchdog_forces_both", "the late holder then releases the next one's hold", forced),
      broken<WatchdogLock<F::kSameToken>>("watchdog_same_token", "hands out a token twice",
                                          {kToken}),
  };
}

std::vector<Mutant> asymmetric() {
  using F = AsymmetricFault;
  return {
      control<AsymmetricLock<F::kNone>>("asymmetric", "an owner who pays no barrier"),
      simulated_only<AsymmetricLock<F::kNoBarrier>>(
          "asymmetric_no_barrier", "nobody pays the barrier", kTwoInside + kOrdering,
          "the window is a store buffer's: some nanoseconds"),
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

// If two leases are free, the thread that was served first may return last.
std::vector<Mutant> in_order() {
  RegisteredLock leases = nested_leases<BasicLeasePool<LeaseOrder::kFifo>>(
      "leases_in_order", "two leases, first come first served");
  leases.abilities.capacity = 2;
  leases.abilities.nests_leases = false;
  return {control(std::move(leases))};
}

template <SharedFault kFault>
using Shared = ReadersFirst<GlobalLock<SharedLock<kFault>>>;

std::vector<Mutant> sharing() {
  using F = SharedFault;
  constexpr char kShort[] = "a reader is inside for some nanoseconds";
  return {
      control<Shared<F::kNone>>("shared", "a correct reader-writer lock"),
      broken<Shared<F::kReaderBesideWriter>>("shared_reader_beside_writer",
                                             "a reader goes in without looking for a writer",
                                             kTwoInside + kOrdering),
      simulated_only<Shared<F::kWriterBesideReader>>("shared_writer_beside_reader",
                                                     "a writer goes in without looking for readers",
                                                     kTwoInside + kOrdering, kShort),
      simulated_only<Shared<F::kReaderFreesAll>>(
          "shared_reader_frees_all", "the first reader that leaves frees the lock",
          kTwoInside + kOrdering + kProgress + kResidue, kShort),
      broken<Shared<F::kCountLost>>("shared_count_lost", "a reader that leaves stays counted",
                                    kStandstill + kResidue + kModel),
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
      broken(std::move(table), kTwoInside + kProgress + kOrdering),
      // A release too many makes its count the greatest number, and whoever comes next waits for
      // an owner that does not exist: this fault also stalls.
      broken(std::move(strangers), {kModel, kProgress, kCycle}),
      broken(nested_leases<LeaseAsPublished>("lease_as_published",
                                             "a second lease, while all are held by askers"),
             kCircle),
      // The check of independence takes all leases of a key itself, and may pick one twice.
      broken(nested_leases<RandomMutexesAsPublished>("random_mutexes_as_published",
                                                     "a second one of those picked blindly"),
             kCircle + kProgress + kIndependence),
  };
}

}  // namespace

std::vector<Mutant> mutants() {
  std::vector<Mutant> all = all_of({spinning,
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
                                    mutants_of_libraries});
  for (Mutant& mutant : all) mutant.entry.abilities.strong_try = !mutant.may_try_in_vain;
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
