// SPDX-License-Identifier: Apache-2.0

// The catalog's entries for shards with a number of leases each.
#pragma once

#include <cstdint>
#include <memory>

#include "harness/bench/catalog/line.h"
#include "primitives/as_published/lease_as_published.h"
#include "primitives/as_published/random_mutexes_as_published.h"
#include "primitives/lease_pool.h"
#include "primitives/peers/lease_condvar.h"
#include "primitives/peers/lease_moodycamel.h"
#include "primitives/peers/lease_semaphore.h"
#include "primitives/peers/lease_tbb.h"

namespace lockbench {

template <class P>
std::unique_ptr<P> make_leased(const Arguments& with) {
  return std::make_unique<P>(with.keys, static_cast<std::uint32_t>(with["leases"]));
}

inline Number leases_parameter() {
  return {"leases", LeasePool::kDefaultLeases, 1, 1 << 16, "leases of each shard", true};
}

// Calls visit.operator()<Pool>(order, nesting) for every kind of our own pools; the first one is
// the default.
template <class Visit>
void for_each_lease_pool(Visit visit) {
  using enum LeaseOrder;
  using enum LeaseNesting;
  visit.template operator()<BasicLeasePool<kUnordered, kRefuse>>("unordered", "refuse");
  visit.template operator()<BasicLeasePool<kUnordered, kShare>>("unordered", "share");
  visit.template operator()<BasicLeasePool<kUnordered, kWait>>("unordered", "wait");
  visit.template operator()<BasicLeasePool<kFifo, kRefuse>>("fifo", "refuse");
  visit.template operator()<BasicLeasePool<kFifo, kShare>>("fifo", "share");
  visit.template operator()<BasicLeasePool<kFifo, kWait>>("fifo", "wait");
}

template <class Visit>
void visit_lease(Visit visit) {
  for_each_lease_pool([&]<class P>(const char* order, const char* nesting) {
    visit(Line<P>{{"lease",
                   "shards with a number of leases each",
                   "lockbench",
                   {{"order", order}, {"nesting", nesting}},
                   {leases_parameter()}},
                  make_leased});
  });
  visit(Line<LeaseCondvar>{{"lease_condvar",
                            "a mutex, a condition variable and a std::deque",
                            "C++ library",
                            {},
                            {leases_parameter()}},
                           make_leased});
  visit(Line<LeaseTbb>{{"lease_tbb",
                        "tbb::concurrent_bounded_queue of lease numbers",
                        "oneTBB",
                        {},
                        {leases_parameter()}},
                       make_leased});
  visit(Line<LeaseMoodycamel>{{"lease_moodycamel",
                               "moodycamel::BlockingConcurrentQueue of lease numbers",
                               "moodycamel",
                               {},
                               {leases_parameter()}},
                              make_leased});
  visit(Line<LeaseSemaphore>{{"lease_semaphore",
                              "std::counting_semaphore before a free list",
                              "C++ library",
                              {},
                              {leases_parameter()}},
                             make_leased});
  visit(Line<LeaseAsPublished>{{"lease_as_published",
                                "a queue of numbers for each shard",
                                "an article in Ruby",
                                {},
                                {leases_parameter()}},
                               make_leased});
  visit(Line<RandomMutexesAsPublished>{{"random_mutexes_as_published",
                                        "mutexes, one of them picked at random",
                                        "an article in Ruby",
                                        {},
                                        {leases_parameter()}},
                                       make_leased});
}

}  // namespace lockbench
