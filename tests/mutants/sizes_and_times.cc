// SPDX-License-Identifier: Apache-2.0

// Locks that are too small for their keys, names, waiters or holders, or that treat what takes long
// or has a timeout wrongly. Each with a control that differs by the fault alone. The controls
// `table`, `names` and `stripes` are in registry.cc.

#include <string>
#include <string_view>
#include <utility>

#include "tests/mutants/few_places.h"
#include "tests/mutants/impatient_lock.h"
#include "tests/mutants/key_table.h"
#include "tests/mutants/mutant.h"
#include "tests/mutants/named_table.h"
#include "tests/mutants/ring_lock.h"
#include "tests/mutants/stripes.h"
#include "tests/mutants/timed_nesting_lock.h"
#include "tests/mutants/timed_queue.h"
#include "tests/mutants/worn_lock.h"

namespace lockbench::mutants {
namespace {

std::vector<Mutant> keys() {
  using F = TableFault;
  const std::vector<Oracle> shared = {Oracle::kIndependence, Oracle::kCycle, Oracle::kModel,
                                      Oracle::kProgress};
  const std::vector<Oracle> none = kTwoInside + Oracle::kOrdering + Oracle::kModel;
  return {
      broken(lock_under_test<KeyTable<F::kLow48>>("table_low_48",
                                                  "takes keys of equal low 48 bits for one"),
             shared),
      broken(lock_under_test<KeyTable<F::kHighestIsFree>>(
                 "table_highest_is_free", "takes the entry of the highest key for a free one"),
             none),
      broken(lock_under_test<KeyTable<F::kFull16>>("table_full_16",
                                                   "has no more than 16 keys, and does not say so"),
             none),
  };
}

std::vector<Mutant> names() {
  using N = NameFault;
  using String = std::string_view;
  const std::vector<Oracle> shared = {Oracle::kIndependence, Oracle::kCycle, Oracle::kModel,
                                      Oracle::kProgress};
  return {
      broken(lock_under_test<NamedTable<N::kBlanks>, String>("names_without_blanks",
                                                             "ignores blanks at the end of a name"),
             shared),
      broken(lock_under_test<NamedTable<N::kCase>, String>("names_without_case",
                                                           "ignores the case of a name"),
             shared),
      control(with_plain_names(lock_under_test<NamedTable<N::kCase>, String>(
          "names_without_case_allowed", "the same, which promises plain names"))),
      broken(lock_under_test<NamedTable<N::kNumber>, String>(
                 "names_as_numbers", "takes a name that begins with digits for a number"),
             shared),
      broken(lock_under_test<NamedTable<N::kBlocks>, String>(
                 "names_by_blocks", "takes names with one sum of words for one"),
             shared),
      broken(lock_under_test<NamedTable<N::kHash>, String>("names_by_hash",
                                                           "takes names of one hash for one"),
             shared),
      broken(lock_under_test<NamedTable<N::kAddress>, String>(
                 "names_by_address", "takes a name for the place where it lies"),
             kTwoInside + Oracle::kOrdering + Oracle::kModel + Oracle::kProgress),
      broken(lock_under_test<NamedTable<N::kPrefix200>, String>(
                 "names_by_long_prefix", "takes names with the same 200 characters for one"),
             shared),
  };
}

std::vector<Mutant> waiters() {
  const std::vector<Oracle> two =
      kTwoInside + Oracle::kOrdering + Oracle::kFairness + Oracle::kProgress + Oracle::kResidue;
  return {
      control(global<RingLock<128>>("ring", "a correct ring of slots")),
      broken(global<RingLock<4>>("ring_4", "has 4 slots for its waiters"), two),
      broken(global<RingLock<8>>("ring_8", "has 8 slots for its waiters"), two),
      control(global<RingLock<4, 4>>("ring_4_of_4", "has 4 slots, and promises room for 4")),
      broken(global<RingLock<4, 6>>("ring_4_of_6", "has 4 slots, and promises room for 6"), two),
  };
}

// Locks that promise to have room for a few keys.
std::vector<Mutant> places() {
  const std::vector<Oracle> shared = {Oracle::kIndependence, Oracle::kCycle, Oracle::kModel,
                                      Oracle::kProgress};
  return {
      control(lock_under_test<FewPlaces<4, 4>>("places", "has room for 4 keys, as it promises")),
      broken(lock_under_test<FewPlaces<3, 4>>("places_3_of_4", "has room for 3 keys, promises 4"),
             shared),
      control(lock_under_test<LowKeys<6, 6>>("low_keys", "has 6 keys, as it promises")),
      broken(lock_under_test<LowKeys<5, 6>>("low_keys_5_of_6", "has 5 keys, promises 6"), shared),
  };
}

std::vector<Mutant> long_holds() {
  constexpr char kLong[] = "no hold lasts as long";
  const std::vector<Oracle> two = kTwoInside + Oracle::kOrdering;
  return {
      control(global<ImpatientLock<0>>("patient", "correct waiters that wait")),
      simulated_only(global<ImpatientLock<100>>("impatient_100_ms", "takes the lock after 0.1 s"),
                     two, kLong),
      simulated_only(global<ImpatientLock<1'000>>("impatient_1_s", "takes the lock after 1 s"), two,
                     kLong),
      simulated_only(global<ImpatientLock<10'000>>("impatient_10_s", "takes the lock after 10 s"),
                     two, kLong),
      simulated_only(global<ImpatientLock<60'000>>("impatient_1_min", "takes the lock after 1 min"),
                     two, kLong),
      simulated_only(global<ImpatientLock<3'600'000>>("impatient_1_h", "takes the lock after 1 h"),
                     two, kLong),
  };
}

std::vector<Mutant> tries_of_two_keys() {
  return {
      broken(lock_under_test<Stripes<StripeFault::kTryLeaks>>(
                 "stripes_try_leaks", "a refused try of two keys keeps one"),
             {Oracle::kResidue, Oracle::kProgress, Oracle::kCycle, Oracle::kModel}),
  };
}

std::vector<Mutant> owners_with_timeouts() {
  using F = TimedNestingFault;
  return {
      control(global<TimedNestingLock<F::kNone>>("timed_nesting", "a correct owner and timeouts")),
      broken(
          global<TimedNestingLock<F::kNotCounted>>("timed_nesting_not_counted",
                                                   "does not count a nested timeout"),
          kTwoInside + Oracle::kModel + Oracle::kOrdering + Oracle::kResidue + Oracle::kProgress),
      broken(global<TimedNestingLock<F::kNotNested>>("timed_nesting_not_nested",
                                                     "refuses its owner a timeout"),
             {Oracle::kModel}),
  };
}

std::vector<Mutant> turns_with_timeouts() {
  using F = QueueFault;
  return {
      control(global<TimedQueue<F::kNone>>("timed_queue", "a correct queue with timeouts")),
      simulated_only(global<TimedQueue<F::kTimedFirst>>("timed_queue_timed_first",
                                                        "serves waiters with timeouts first"),
                     {Oracle::kFairness}, "the turns of requests with timeouts are not known"),
  };
}

std::vector<Mutant> after_many_holds() {
  using F = WornFault;
  const std::vector<Oracle> two = kTwoInside + Oracle::kOrdering + Oracle::kModel;
  return {
      control(global<PolledLock<0>>("polled", "a correct flag")),
      broken(global<PolledLock<10'000>>("polled_10_000", "enters after 10,000 polls"), two),
      control(global<WornLock<F::kNone>>("worn", "a correct mutex")),
      broken(global<WornLock<F::kEnters>>("worn_enters", "the hundredth request enters at once"),
             two + Oracle::kProgress + Oracle::kCycle),
      broken(
          global<WornLock<F::kForgetsToWake>>("worn_forgets", "the hundredth release wakes nobody"),
          kStandstill + Oracle::kCycle),
      broken(global<WornLock<F::kEnters, 1'000>>("worn_enters_1000",
                                                 "the thousandth request enters at once"),
             two + Oracle::kProgress + Oracle::kCycle),
  };
}

std::vector<Mutant> many_keys() {
  return {
      control(lock_under_test<OrderedStripes<false>>("ordered", "takes two stripes in order")),
      broken(lock_under_test<OrderedStripes<true>>("ordered_by_key",
                                                   "takes two stripes in the order of their keys"),
             kCircle),
      control(lock_under_test<GrowingStripes<true>>("growing", "a correct array that grows")),
      simulated_only(lock_under_test<GrowingStripes<false>>("growing_under_holders",
                                                            "grows while keys are held"),
                     kTwoInside + Oracle::kOrdering + Oracle::kModel + Oracle::kProgress +
                         Oracle::kCycle + Oracle::kResidue,
                     "the window is there once in the life of an array"),
  };
}

}  // namespace

std::vector<Mutant> mutants_of_sizes_and_times() {
  std::vector<Mutant> all;
  for (auto part : {keys, names, waiters, places, long_holds, tries_of_two_keys,
                    owners_with_timeouts, turns_with_timeouts, after_many_holds, many_keys}) {
    for (Mutant& mutant : part()) all.push_back(std::move(mutant));
  }
  return all;
}

}  // namespace lockbench::mutants
