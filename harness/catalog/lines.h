// SPDX-License-Identifier: Apache-2.0

// The catalog: every primitive that users can name, one line each.
//
// A visitor is called with a Line<P> for each primitive type, in the order in which users see them.
// Whoever measures, tests or lists primitives visits the same lines. To add a primitive: its
// header, a line here, a line in tests/primitives/primitive_list.h.
#pragma once

#include <chrono>
#include <mutex>

#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/spin_mutex.h>

#include "harness/catalog/line.h"
#include "primitives/adaptive_mutex.h"
#include "primitives/as_published/keyed_as_published.h"
#include "primitives/as_published/lease_as_published.h"
#include "primitives/as_published/random_mutexes_as_published.h"
#include "primitives/as_published/reentrant_as_published.h"
#include "primitives/as_published/striped_as_published.h"
#include "primitives/baselines/absl_mutex.h"
#include "primitives/baselines/keyed_absl.h"
#include "primitives/baselines/keyed_table.h"
#include "primitives/baselines/keyed_tbb.h"
#include "primitives/baselines/lease_condvar.h"
#include "primitives/baselines/lease_moodycamel.h"
#include "primitives/baselines/lease_semaphore.h"
#include "primitives/baselines/lease_tbb.h"
#include "primitives/baselines/pthread_spinlock.h"
#include "primitives/baselines/striped_vector.h"
#include "primitives/baselines/tbb_queuing_mutex.h"
#include "primitives/global_lock.h"
#include "primitives/keyed_limited.h"
#include "primitives/keyed_mutex.h"
#include "primitives/lease_pool.h"
#include "primitives/no_lock.h"
#include "primitives/parking_lot.h"
#include "primitives/reentrant_lock.h"
#include "primitives/stripe_word.h"
#include "primitives/striped_lock.h"

namespace lockbench {

// Calls visit.operator()<Base>(name, origin) for every base lock; the first is the usual one.
template <class Visit>
void for_each_base_lock(Visit visit) {
  visit.template operator()<AdaptiveMutex>("adaptive", "lockbench");
  visit.template operator()<FutexMutex>("futex", "lockbench");
  visit.template operator()<std::mutex>("std", "C++ library");
  visit.template operator()<AbslMutex>("absl", "Abseil");
  visit.template operator()<tbb::mutex>("tbb", "oneTBB");
  visit.template operator()<tbb::spin_mutex>("tbb_spin", "oneTBB");
  visit.template operator()<TbbQueuingMutex>("tbb_queuing", "oneTBB");
  visit.template operator()<PthreadSpinlock>("pthread_spin", "POSIX");
}

template <class P>
std::unique_ptr<P> make_plain(const Arguments&) {
  return std::make_unique<P>();
}

template <class P>
std::unique_ptr<P> make_striped(const Arguments& with) {
  return std::make_unique<P>(with["stripes"]);
}

template <class P>
std::unique_ptr<P> make_leased(const Arguments& with) {
  return std::make_unique<P>(with.keys, static_cast<std::uint32_t>(with["leases"]));
}

template <class K>
std::unique_ptr<KeyedAsPublished<K>> make_published(const Arguments& with) {
  return std::make_unique<KeyedAsPublished<K>>(std::chrono::milliseconds(with["timeout_ms"]));
}

// `keys`: whether the table knows the keys beforehand, so that nobody races to bring them in.
inline Listing keyed_as_published_listing(const char* keys) {
  return {"keyed_as_published",
          "a table that races and leaks; a watchdog releases what is held too long",
          "a tutorial in Python",
          {{"keys", keys}},
          {{"timeout_ms", 5000, 0, 3'600'000, "until the watchdog releases; 0: no watchdog"}}};
}

inline Number stripes_parameter() {
  return {"stripes", 20, 1, 1 << 24, "locks in the array"};
}

inline Number bits_parameter() {
  return {"stripes", StripeWord::kMostStripes, 1, StripeWord::kMostStripes, "bits of the word"};
}

inline Number leases_parameter() {
  return {"leases", LeasePool::kDefaultLeases, 1, 1 << 16, "leases of each shard"};
}

template <class Visit>
void visit_global(Visit visit) {
  visit(Line<NoLock>{
      {"none", "no lock at all: the floor at one thread, the race at more", "nobody"}, make_plain});
  for_each_base_lock([&]<class Base>(const char* lock, const char* origin) {
    visit(Line<GlobalLock<Base>>{{"global", "one lock for all keys", origin, {{"lock", lock}}, {}},
                                 make_plain});
  });
}

template <class Visit>
void visit_striped(Visit visit) {
  for_each_base_lock([&]<class Base>(const char* lock, const char* origin) {
    visit(Line<StripedLock<Base>>{{"striped",
                                   "a fixed array of locks, one of them chosen by the key's hash",
                                   origin,
                                   {{"lock", lock}, {"case", "sensitive"}},
                                   {stripes_parameter()}},
                                  make_striped});
  });
  visit(Line<StripedLock<AdaptiveMutex, CaseInsensitiveHash>>{
      {"striped",
       "a fixed array of locks, one of them chosen by the key's hash",
       "lockbench",
       {{"lock", "adaptive"}, {"case", "insensitive"}},
       {stripes_parameter()}},
      make_striped});
  visit(Line<StripeWord>{{"stripe_word",
                          "up to 63 locks in one word; any number of keys in one atomic step",
                          "lockbench",
                          {},
                          {bits_parameter()}},
                         make_striped});
  visit(Line<StripedVector>{{"striped_vector",
                             "std::vector<std::mutex>, by the remainder of the hash",
                             "C++ library",
                             {},
                             {stripes_parameter()}},
                            make_striped});
  visit(Line<StripedAsPublished<>>{{"striped_as_published",
                                    "monitors, chosen by the sum of the keys' 32-bit hashes",
                                    "a weblog, 2008",
                                    {},
                                    {stripes_parameter()}},
                                   make_striped});
}

template <class Visit>
void visit_keyed(Visit visit) {
  for_each_key_type([&]<class K>() {
    visit(Line<KeyedMutex<K>>{
        {"keyed",
         "a mutex for every key in use, nothing for the others",
         "lockbench",
         {},
         {{"buckets", KeyedMutex<K>::kDefaultBuckets, 1, 1 << 24, "buckets of the table"}}},
        [](const Arguments& with) { return std::make_unique<KeyedMutex<K>>(with["buckets"]); }});
    visit(Line<KeyedLimited<K>>{
        {"keyed_limited",
         "the same, and who holds too long while others wait loses the key",
         "lockbench",
         {},
         {{"hold_limit_ms", 5000, 1, 3'600'000, "until a waiter gets the key"},
          {"buckets", KeyedLimited<K>::kDefaultBuckets, 1, 1 << 24, "buckets of the table"}}},
        [](const Arguments& with) {
          const std::chrono::milliseconds limit(with["hold_limit_ms"]);
          return std::make_unique<KeyedLimited<K>>(limit, with["buckets"]);
        }});
    visit(Line<KeyedTable<K>>{{"keyed_table",
                               "a mutex around std::unordered_map with reference counts",
                               "C++ library",
                               {{"lock", "std"}},
                               {}},
                              make_plain});
    visit(Line<KeyedTableSharded<K>>{{"keyed_table64", "64 shards of keyed_table", "C++ library"},
                                     make_plain});
    visit(Line<KeyedAbsl<K>>{
        {"keyed_absl", "64 shards of an Abseil map with reference counts", "Abseil"}, make_plain});
    visit(Line<KeyedTbb<K>>{
        {"keyed_tbb", "tbb::concurrent_hash_map, its accessors held as locks", "oneTBB"},
        make_plain});
    visit(Line<KeyedLeaky<K>>{
        {"keyed_leaky", "64 shards of a table that never forgets a key", "C++ library"},
        make_plain});
    visit(Line<KeyedAsPublished<K>>{keyed_as_published_listing("new"), make_published<K>});
  });
  visit(Line<KeyedAsPublished<>>{keyed_as_published_listing("known"), [](const Arguments& with) {
                                   auto keyed = make_published<std::uint64_t>(with);
                                   for (std::uint64_t k = 0; k < with.keys; ++k) keyed->know(k);
                                   return keyed;
                                 }});
}

template <class Visit>
void visit_reentrant(Visit visit) {
  visit(Line<ReentrantLock<>>{{"reentrant", "one lock that its owner may take again"}, make_plain});
  visit(Line<ReentrantLock<RecursiveMutex<ParkingMutex>>>{
      {"recursive_parking", "the same, over a lock of one byte whose waiters queue elsewhere"},
      make_plain});
  visit(Line<ReentrantLock<std::recursive_mutex>>{
      {"recursive_mutex", "std::recursive_mutex", "C++ library"}, make_plain});
  visit(Line<ReentrantAsPublished<>>{
      {"reentrant_as_published", "a count before a real lock; one contention ends its speed",
       "an article on fastrlock"},
      make_plain});
  visit(Line<ReentrantRepaired>{
      {"reentrant_repaired", "the same, with its faults mended", "an article on fastrlock"},
      make_plain});
}

// Calls visit.operator()<Pool>(order, nesting) for every kind of our own; the first is the usual.
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
