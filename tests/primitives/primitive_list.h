// SPDX-License-Identifier: Apache-2.0

// The locks of others that the contract tests are run over besides ours.
#pragma once

#include <mutex>
#include <tuple>

#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/spin_mutex.h>

#include "primitives/as_published/lease_as_published.h"
#include "primitives/as_published/reentrant_as_published.h"
#include "primitives/as_published/striped_as_published.h"
#include "primitives/global_lock.h"
#include "primitives/peers/absl_mutex.h"
#include "primitives/peers/keyed_absl.h"
#include "primitives/peers/keyed_table.h"
#include "primitives/peers/keyed_tbb.h"
#include "primitives/peers/lease_condvar.h"
#include "primitives/peers/lease_moodycamel.h"
#include "primitives/peers/lease_semaphore.h"
#include "primitives/peers/lease_tbb.h"
#include "primitives/peers/pthread_spinlock.h"
#include "primitives/peers/striped_vector.h"
#include "primitives/peers/tbb_queuing_mutex.h"
#include "primitives/reentrant_lock.h"
#include "primitives/striped_lock.h"
#include "tests/primitives/our_primitives.h"

namespace lockbench {

using Baselines =
    std::tuple<Subject<"global_std", GlobalLock<std::mutex>>,                //
               Subject<"global_tbb", GlobalLock<tbb::mutex>>,                //
               Subject<"global_tbb_spin", GlobalLock<tbb::spin_mutex>>,      //
               Subject<"global_tbb_queuing", GlobalLock<TbbQueuingMutex>>,   //
               Subject<"global_pthread_spin", GlobalLock<PthreadSpinlock>>,  //
               Subject<"striped_std", StripedLock<std::mutex>>,              //
               Subject<"striped_tbb_queuing_string", StripedLock<TbbQueuingMutex>, String>,
               Subject<"striped_vector", StripedVector>,                            //
               Subject<"striped_vector_string", StripedVector, String>,             //
               Subject<"keyed_table", KeyedTable<std::uint64_t>>,                   //
               Subject<"keyed_table_string", KeyedTable<String>, String>,           //
               Subject<"keyed_table64", KeyedTableSharded<std::uint64_t>>,          //
               Subject<"keyed_table64_string", KeyedTableSharded<String>, String>,  //
               Subject<"keyed_absl", KeyedAbsl<std::uint64_t>>,                     //
               Subject<"keyed_absl_string", KeyedAbsl<String>, String>,             //
               Subject<"keyed_leaky", KeyedLeaky<std::uint64_t>>,                   //
               Subject<"keyed_leaky_string", KeyedLeaky<String>, String>,           //
               Subject<"recursive_mutex", ReentrantLock<std::recursive_mutex>>,     //
               Subject<"lease_condvar", LeaseCondvar>,                              //
               Subject<"lease_moodycamel", LeaseMoodycamel>,                        //
               Subject<"lease_semaphore", LeaseSemaphore>>;

// The locks that others published, where their faults leave the contract whole. The table of locks
// races over new keys, and an array of mutexes keeps threads waiting while some are free: not here.
using AsPublished =
    std::tuple<PublishedSubject<"striped_as_published", StripedAsPublished<>>,
               PublishedSubject<"striped_as_published_string", StripedAsPublished<>, String>,
               PublishedSubject<"reentrant_as_published", ReentrantAsPublished<>>,
               PublishedSubject<"reentrant_repaired", ReentrantRepaired>,
               PublishedSubject<"lease_as_published", LeaseAsPublished>>;

// These lean on libraries that were not compiled with ThreadSanitizer: absl::Mutex synchronizes
// inside one, and TBB's containers reuse memory through TBB's allocator, where it cannot see that
// one thread gave back what another got. It reports races that are none.
#if defined(__SANITIZE_THREAD__)
using OpaqueBaselines = std::tuple<>;
#else
using OpaqueBaselines =
    std::tuple<Subject<"global_absl", GlobalLock<AbslMutex>>,                   //
               Subject<"striped_absl_string", StripedLock<AbslMutex>, String>,  //
               Subject<"keyed_tbb", KeyedTbb<std::uint64_t>>,                   //
               Subject<"keyed_tbb_string", KeyedTbb<String>, String>,           //
               Subject<"lease_tbb", LeaseTbb>>;
#endif

}  // namespace lockbench
