// SPDX-License-Identifier: Apache-2.0

// Locks with one memory order that is too weak, which store buffers do not show: right under tso,
// broken under c11. Beside them the same with all their orders, which must pass under c11.

#include <utility>

#include "tests/mutants/mutant.h"
#include "tests/mutants/weak_locks.h"
#include "tests/mutants/weak_queue_locks.h"

namespace lockbench::mutants {
namespace {

const std::vector<Oracle> kInside = kTwoInside + Oracle::kOrdering;
const std::vector<Oracle> kNotAlive = {Oracle::kLifetime};

Mutant weak(RegisteredLock entry, std::vector<Oracle> sim) {
  entry.memory = "c11";
  return {std::move(entry), std::move(sim), {}};
}

std::vector<Mutant> queues() {
  using M = McsFault;
  using C = ClhFault;
  return {
      weak(global<McsLock<M::kNone>>("mcs", "a correct MCS queue"), {}),
      weak(global<McsLock<M::kTailDoesNotRelease>>(
               "mcs_tail_does_not_release", "enters the queue by an exchange that only acquires"),
           kStandstill),
      weak(global<McsLock<M::kLinkDoesNotRelease>>("mcs_link_does_not_release",
                                                   "links its node by a relaxed store"),
           kStandstill),
      weak(global<McsLock<M::kLinkIsNotAcquired>>("mcs_link_is_not_acquired",
                                                  "follows the link by a relaxed load"),
           kStandstill),
      weak(global<ClhLock<C::kNone>>("clh", "a correct CLH queue"), {}),
      weak(global<ClhLock<C::kTailDoesNotRelease>>(
               "clh_tail_does_not_release", "enters the queue by an exchange that only acquires"),
           kInside),
      weak(global<ClhLock<C::kTailIsNotAcquired>>(
               "clh_tail_is_not_acquired", "enters the queue by an exchange that only releases"),
           kInside),
  };
}

std::vector<Mutant> flags_and_counts() {
  using F = FlagFault;
  using S = SleeperFault;
  using E = EventFault;
  return {
      weak(global<FlagLock<F::kNone>>("flags", "a correct lock of one flag for each thread"), {}),
      weak(global<FlagLock<F::kRaisesInNoOrder>>(
               "flags_raised_in_no_order",
               "raises its flag by an exchange that acquires and releases"),
           kInside),
      weak(global<FlagLock<F::kLooksInNoOrder>>("flags_looked_at_in_no_order",
                                                "looks at the other flags by acquiring loads"),
           kInside),
      weak(global<SleeperLock<S::kNone>>("sleepers", "a correct lock with a count of sleepers"),
           {}),
      weak(global<SleeperLock<S::kLooksInNoOrder>>("sleepers_looked_at_too_early",
                                                   "may read the count before it has released"),
           kStandstill),
      weak(global<EventLock<E::kNone>>("events", "a correct lock with a count of events"), {}),
      weak(global<EventLock<E::kCountDoesNotRelease>>("events_count_does_not_release",
                                                      "counts the event by a relaxed addition"),
           kStandstill),
      weak(global<EventLock<E::kCountIsNotAcquired>>("events_count_is_not_acquired",
                                                     "reads the count of events by a relaxed load"),
           kStandstill),
  };
}

std::vector<Mutant> lives() {
  using L = LazyFault;
  using U = UsersFault;
  return {
      weak(global<LazyLock<L::kNone>>("lazy", "a correct lock that the first to need it makes"),
           {}),
      weak(global<LazyLock<L::kDoesNotRelease>>("lazy_does_not_release",
                                                "publishes the new lock by a relaxed exchange"),
           kNotAlive),
      weak(global<LazyLock<L::kIsNotAcquired>>("lazy_is_not_acquired",
                                               "finds the new lock by a relaxed load"),
           kNotAlive),
      weak(global<UsersLock<U::kNone>>("users", "a correct lock that lives while it has users"),
           {}),
      weak(global<UsersLock<U::kDoesNotRelease>>("users_leave_without_release",
                                                 "leaves by a subtraction that only acquires"),
           kNotAlive),
      weak(global<UsersLock<U::kIsNotAcquired>>("users_free_without_acquire",
                                                "leaves by a subtraction that only releases"),
           kNotAlive),
  };
}

}  // namespace

std::vector<Mutant> mutants_of_weak_memory() {
  std::vector<Mutant> all;
  for (auto part : {queues, flags_and_counts, lives}) {
    for (Mutant& mutant : part()) all.push_back(std::move(mutant));
  }
  return all;
}

}  // namespace lockbench::mutants
