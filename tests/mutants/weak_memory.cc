// SPDX-License-Identifier: Apache-2.0

// Locks with one memory order that is too weak, which store buffers do not show: right under tso,
// broken under c11. Beside them the same with all their orders, which must pass under c11.

#include <utility>

#include "tests/mutants/made_lock.h"
#include "tests/mutants/mutant.h"
#include "tests/mutants/weak_locks.h"
#include "tests/mutants/weak_queue_locks.h"

namespace lockbench::mutants {
namespace {

const std::vector<Oracle> kInside = kTwoInside + kOrdering;
const std::vector<Oracle> kNotAlive = {kLifetime};

template <class L>
Mutant weak(const char* name, const char* fault, std::vector<Oracle> sim) {
  RegisteredLock entry = entry_of<L>(name, fault);
  entry.memory = "c11";
  return {std::move(entry), std::move(sim), {}};
}

std::vector<Mutant> queues() {
  using M = ListFault;
  using C = ClhFault;
  return {
      weak<McsLock<M::kNone>>("mcs", "a correct MCS queue", {}),
      weak<McsLock<M::kTailDoesNotRelease>>("mcs_tail_does_not_release",
                                            "enters the queue by an exchange that only acquires",
                                            kStandstill),
      weak<McsLock<M::kLinkDoesNotRelease>>("mcs_link_does_not_release",
                                            "links its node by a relaxed store", kStandstill),
      weak<McsLock<M::kLinkIsNotAcquired>>("mcs_link_is_not_acquired",
                                           "follows the link by a relaxed load", kStandstill),
      weak<ClhLock<C::kNone>>("clh", "a correct CLH queue", {}),
      weak<ClhLock<C::kTailDoesNotRelease>>("clh_tail_does_not_release",
                                            "enters the queue by an exchange that only acquires",
                                            kInside),
      weak<ClhLock<C::kTailIsNotAcquired>>("clh_tail_is_not_acquired",
                                           "enters the queue by an exchange that only releases",
                                           kInside),
  };
}

std::vector<Mutant> flags_and_counts() {
  using F = FlagFault;
  using S = SleeperFault;
  using E = EventFault;
  return {
      weak<FlagLock<F::kNone>>("flags", "a correct lock of one flag for each thread", {}),
      weak<FlagLock<F::kRaisesInNoOrder>>(
          "flags_raised_in_no_order", "raises its flag by an exchange that acquires and releases",
          kInside),
      weak<FlagLock<F::kLooksInNoOrder>>("flags_looked_at_in_no_order",
                                         "looks at the other flags by acquiring loads", kInside),
      weak<SleeperLock<S::kNone>>("sleepers", "a correct lock with a count of sleepers", {}),
      weak<SleeperLock<S::kLooksInNoOrder>>(
          "sleepers_looked_at_too_early", "may read the count before it has released", kStandstill),
      weak<EventLock<E::kNone>>("events", "a correct lock with a count of events", {}),
      weak<EventLock<E::kCountDoesNotRelease>>(
          "events_count_does_not_release", "counts the event by a relaxed addition", kStandstill),
      weak<EventLock<E::kCountIsNotAcquired>>("events_count_is_not_acquired",
                                              "reads the count of events by a relaxed load",
                                              kStandstill),
  };
}

std::vector<Mutant> lives() {
  using L = MadeFault;
  using U = UsersFault;
  return {
      weak<MadeLock<L::kNone>>("lazy", "a correct lock that the first to need it makes", {}),
      weak<MadeLock<L::kDoesNotRelease>>("lazy_does_not_release",
                                         "publishes the new lock by a relaxed exchange", kNotAlive),
      weak<MadeLock<L::kIsNotAcquired>>("lazy_is_not_acquired",
                                        "finds the new lock by a relaxed load", kNotAlive),
      weak<UsersLock<U::kNone>>("users", "a correct lock that lives while it has users", {}),
      weak<UsersLock<U::kDoesNotRelease>>("users_leave_without_release",
                                          "leaves by a subtraction that only acquires", kNotAlive),
      weak<UsersLock<U::kIsNotAcquired>>("users_free_without_acquire",
                                         "leaves by a subtraction that only releases", kNotAlive),
  };
}

}  // namespace

std::vector<Mutant> mutants_of_weak_memory() {
  return all_of({queues, flags_and_counts, lives});
}

}  // namespace lockbench::mutants
