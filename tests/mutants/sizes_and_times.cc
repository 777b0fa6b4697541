// SPDX-License-Identifier: Apache-2.0

// Locks that are too small for their keys, names, waiters or holders, or that treat what takes long
// or has a timeout wrongly. Each with a control that differs by the fault alone. The controls
// `table`, `names` and `stripes` are in registry.cc.

#include <string>
#include <string_view>
#include <utility>

#include "harness/stress/several_keys.h"
#include "tests/mutants/few_places.h"
#include "tests/mutants/impatient_lock.h"
#include "tests/mutants/key_table.h"
#include "tests/mutants/mutant.h"
#include "tests/mutants/mutex_table.h"
#include "tests/mutants/ring_lock.h"
#include "tests/mutants/several_keys_lock.h"
#include "tests/mutants/stripes.h"
#include "tests/mutants/timed_nesting_lock.h"
#include "tests/mutants/timed_queue.h"
#include "tests/mutants/worn_lock.h"

namespace lockbench::mutants {
namespace {

std::vector<Mutant> keys() {
  using F = TableFault;
  const std::vector<Oracle> shared = {kIndependence, kCycle, kModel, kProgress};
  const std::vector<Oracle> none = kTwoInside + kOrdering + kModel;
  return {
      broken<KeyTable<F::kNone, 48>>("table_low_48", "takes keys of equal low 48 bits for one",
                                     shared),
      broken<KeyTable<F::kHighestIsFree>>(
          "table_highest_is_free", "takes the entry of the highest key for a free one", none),
      broken<KeyTable<F::kFull16>>("table_full_16", "has no more than 16 keys, and does not say so",
                                   none),
  };
}

std::vector<Mutant> names() {
  using N = NameFault;
  const std::vector<Oracle> shared = {kIndependence, kCycle, kModel, kProgress};
  return {
      broken<NamedTable<N::kBlanks>>("names_without_blanks", "ignores blanks at the end of a name",
                                     shared),
      broken<NamedTable<N::kCase>>("names_without_case", "ignores the case of a name", shared),
      with_plain_names(control<NamedTable<N::kCase>>("names_without_case_allowed",
                                                     "the same, which promises plain names")),
      broken<NamedTable<N::kNumber>>("names_as_numbers",
                                     "takes a name that begins with digits for a number", shared),
      broken<NamedTable<N::kBlocks>>("names_by_blocks", "takes names with one sum of words for one",
                                     shared),
      broken<NamedTable<N::kHash>>("names_by_hash", "takes names of one hash for one", shared),
      broken<NamedTable<N::kAddress>>("names_by_address",
                                      "takes a name for the address where it lies",
                                      kTwoInside + kOrdering + kModel + kProgress),
      broken<NamedTable<N::kPrefix200>>("names_by_long_prefix",
                                        "takes names with the same 200 characters for one", shared),
  };
}

std::vector<Mutant> waiters() {
  const std::vector<Oracle> two = kTwoInside + kOrdering + kFairness + kProgress + kResidue;
  return {
      control<RingLock<128>>("ring", "a correct ring of slots"),
      broken<RingLock<4>>("ring_4", "has 4 slots for its waiters", two),
      broken<RingLock<8>>("ring_8", "has 8 slots for its waiters", two),
      control<RingLock<4, 4>>("ring_4_of_4", "has 4 slots, and promises room for 4"),
      broken<RingLock<4, 6>>("ring_4_of_6", "has 4 slots, and promises room for 6", two),
  };
}

// Locks that promise to have room for a few keys.
std::vector<Mutant> slots() {
  const std::vector<Oracle> shared = {kIndependence, kCycle, kModel, kProgress};
  return {
      control<FewSlots<4, 4>>("places", "has room for 4 keys, as it promises"),
      broken<FewSlots<3, 4>>("places_3_of_4", "has room for 3 keys, promises 4", shared),
      control<LowKeys<6, 6>>("low_keys", "has 6 keys, as it promises"),
      broken<LowKeys<5, 6>>("low_keys_5_of_6", "has 5 keys, promises 6", shared),
  };
}

std::vector<Mutant> long_holds() {
  constexpr char kLong[] = "no hold lasts as long";
  const std::vector<Oracle> two = kTwoInside + kOrdering;
  return {
      control<ImpatientLock<0>>("patient", "correct waiters that wait"),
      simulated_only<ImpatientLock<100>>("impatient_100_ms", "takes the lock after 0.1 s", two,
                                         kLong),
      simulated_only<ImpatientLock<1'000>>("impatient_1_s", "takes the lock after 1 s", two, kLong),
      simulated_only<ImpatientLock<10'000>>("impatient_10_s", "takes the lock after 10 s", two,
                                            kLong),
      simulated_only<ImpatientLock<60'000>>("impatient_1_min", "takes the lock after 1 min", two,
                                            kLong),
      simulated_only<ImpatientLock<3'600'000>>("impatient_1_h", "takes the lock after 1 h", two,
                                               kLong),
  };
}

std::vector<Mutant> tries_of_two_keys() {
  return {
      broken<Stripes<StripeFault::kTryLeaks>>("stripes_try_leaks",
                                              "a refused try of two keys keeps one",
                                              {kResidue, kProgress, kCycle, kModel}),
  };
}

std::vector<Mutant> several_keys() {
  using F = SetFault;
  const std::vector<Oracle> waits_for_ever = kCircle + kProgress;
  return {
      control<SeveralKeys<ManyStripes<F::kNone>>>("set", "several keys are acquired together"),
      broken<SeveralKeys<ManyStripes<F::kAsAsked>>>(
          "set_as_asked", "takes several keys in the order named", waits_for_ever),
      broken<SeveralKeys<ManyStripes<F::kByKey>>>(
          "set_by_key", "takes several stripes in the order of their keys", waits_for_ever),
      broken<SeveralKeys<ManyStripes<F::kNamedTwice>>>(
          "set_named_twice", "takes a stripe twice if other keys are named in between",
          waits_for_ever),
      broken<SeveralKeys<ManyStripes<F::kLeavesOne>>>("set_leaves_one", "leaves out the last key",
                                                      kTwoInside + kOrdering + kModel),
      broken<SeveralKeys<ManyStripes<F::kTryLeaks>>>("set_try_leaks",
                                                     "a refused try of several keys keeps some",
                                                     {kResidue, kProgress, kCycle, kModel}),
      broken<SeveralKeys<ManyStripes<F::kTryTakesOne>>>(
          "set_try_takes_one", "a try takes the first key alone", kTwoInside + kOrdering + kModel),
  };
}

std::vector<Mutant> owners_with_timeouts() {
  using F = TimedNestingFault;
  return {
      control<TimedNestingLock<F::kNone>>("timed_nesting", "a correct owner and timeouts"),
      broken<TimedNestingLock<F::kNotCounted>>(
          "timed_nesting_not_counted", "does not count a nested timeout",
          kTwoInside + kModel + kOrdering + kResidue + kProgress),
      broken<TimedNestingLock<F::kNotNested>>("timed_nesting_not_nested",
                                              "refuses its owner a timeout", {kModel}),
  };
}

std::vector<Mutant> turns_with_timeouts() {
  using F = QueueFault;
  return {
      control<TimedQueue<F::kNone>>("timed_queue", "a correct queue with timeouts"),
      simulated_only<TimedQueue<F::kTimedFirst>>(
          "timed_queue_timed_first", "serves waiters with timeouts first", {kFairness},
          "the turns of requests with timeouts are not known"),
  };
}

std::vector<Mutant> after_many_holds() {
  using F = WornFault;
  const std::vector<Oracle> two = kTwoInside + kOrdering + kModel;
  return {
      control<PolledLock<0>>("polled", "a correct flag"),
      broken<PolledLock<10'000>>("polled_10_000", "enters after 10,000 polls", two),
      control<WornLock<F::kNone>>("worn", "a correct mutex"),
      broken<WornLock<F::kEnters>>("worn_enters", "the hundredth request enters at once",
                                   two + kProgress + kCycle),
      broken<WornLock<F::kForgetsToWake>>("worn_forgets", "the hundredth release wakes nobody",
                                          kStandstill + kCycle),
      broken<WornLock<F::kEnters, 1'000>>(
          "worn_enters_1000", "the thousandth request enters at once", two + kProgress + kCycle),
  };
}

std::vector<Mutant> many_keys() {
  return {
      control<OrderedStripes<false>>("ordered", "takes two stripes in order"),
      broken<OrderedStripes<true>>("ordered_by_key", "takes two stripes in the order of their keys",
                                   kCircle),
      control<GrowingStripes<true>>("growing", "a correct array that grows"),
      simulated_only<GrowingStripes<false>>(
          "growing_under_holders", "grows while keys are held",
          kTwoInside + kOrdering + kModel + kProgress + kCycle + kResidue,
          "the window is there once in the life of an array"),
  };
}

}  // namespace

std::vector<Mutant> mutants_of_sizes_and_times() {
  return all_of({keys, names, waiters, slots, long_holds, tries_of_two_keys, several_keys,
                 owners_with_timeouts, turns_with_timeouts, after_many_holds, many_keys});
}

}  // namespace lockbench::mutants
