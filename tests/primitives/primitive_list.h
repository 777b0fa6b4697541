// SPDX-License-Identifier: Apache-2.0

// The one list of what the contract tests are run over: a line per primitive and key type.
//
// Whoever adds a primitive adds its line here; the tests find out what it promises.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <tuple>
#include <type_traits>

#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/spin_mutex.h>

#include "primitives/adaptive_mutex.h"
#include "primitives/as_published/lease_as_published.h"
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
#include "primitives/biased_recursive_mutex.h"
#include "primitives/concepts.h"
#include "primitives/futex_mutex.h"
#include "primitives/global_lock.h"
#include "primitives/keyed_limited.h"
#include "primitives/keyed_mutex.h"
#include "primitives/keyed_semaphore.h"
#include "primitives/keyed_shared_mutex.h"
#include "primitives/lease_pool.h"
#include "primitives/parking_lot.h"
#include "primitives/reentrant_lock.h"
#include "primitives/stripe_word.h"
#include "primitives/striped_lock.h"
#include "workloads/fenced.h"

namespace lockbench {

// Every key has the hash 42: what a primitive must not take for every key being one.
struct ConstantHash {
  std::uint64_t operator()(std::uint64_t) const noexcept { return 42; }
  std::uint64_t operator()(std::string_view) const noexcept { return 42; }
};

template <std::size_t kSize>
struct SubjectName {
  constexpr SubjectName(const char (&characters)[kSize]) {  // NOLINT: meant to convert
    std::copy_n(characters, kSize, text);
  }
  char text[kSize];
};

// One line of the list: it may lack two keys at once.
template <SubjectName kText, class P, Key K = std::uint64_t>
struct PublishedSubject {
  static_assert(KeyedLock<P, K>);
  static_assert(TimedLockable<HandleOf<P, K>> == P::kPromises.timed);
  static_assert(!std::is_move_constructible_v<HandleOf<P, K>>);

  using Primitive = P;
  using KeyType = K;
  static constexpr const char* kName = kText.text;
};

template <SubjectName kText, class P, Key K = std::uint64_t>
struct Subject : PublishedSubject<kText, P, K> {
  static_assert(PairLock<P, K> || LeaseLock<P, K> || FencedLock<P, K>);
};

using String = std::string_view;

// As a mutex per key, which the contract is about; more permits: shared_holds_test.cc.
template <class Semaphore>
struct OnePermit : Semaphore {
  OnePermit() : Semaphore(1) {}
};

using Ours = std::tuple<
    Subject<"global", GlobalLock<>>,  //
    Subject<"global_futex", GlobalLock<FutexMutex>>,
    Subject<"global_no_barrier", GlobalLock<BasicAdaptiveMutex<internal::NoBarriers>>>,
    Subject<"striped_futex", StripedLock<FutexMutex>>,
    Subject<"global_string", GlobalLock<>, String>,       //
    Subject<"keyed", KeyedMutex<>>,                       //
    Subject<"keyed_string", KeyedMutex<String>, String>,  //
    Subject<"keyed_equal_hashes", KeyedMutex<String, ConstantHash>, String>,
    Subject<"keyed_limited", KeyedLimited<>>,
    Subject<"keyed_limited_equal_hashes", KeyedLimited<String, ConstantHash>, String>,
    Subject<"keyed_shared", KeyedSharedMutex<>>,
    Subject<"keyed_shared_equal_hashes", KeyedSharedMutex<String, ConstantHash>, String>,
    PublishedSubject<"keyed_semaphore", OnePermit<KeyedSemaphore<>>>,
    PublishedSubject<"keyed_semaphore_equal_hashes",
                     OnePermit<KeyedSemaphore<String, ConstantHash>>, String>,
    Subject<"striped", StripedLock<>>,                 //
    Subject<"striped_string", StripedLock<>, String>,  //
    Subject<"striped_any_case", StripedLock<AdaptiveMutex, CaseInsensitiveHash>, String>,
    Subject<"reentrant", ReentrantLock<>>,                 //
    Subject<"reentrant_string", ReentrantLock<>, String>,  //
    Subject<"recursive_parking", ReentrantLock<RecursiveMutex<ParkingMutex>>>,
    Subject<"lease", LeasePool>,         //
    Subject<"stripe_word", StripeWord>,  //
    Subject<"stripe_word_string", StripeWord, String>,
    Subject<"lease_no_barrier",
            BasicLeasePool<LeaseOrder::kUnordered, LeaseNesting::kRefuse, internal::NoBarriers>>,
    Subject<"lease_fifo", BasicLeasePool<LeaseOrder::kFifo>>,
    Subject<"lease_wait", BasicLeasePool<LeaseOrder::kUnordered, LeaseNesting::kWait>>>;

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

// What others published, where their faults leave the contract whole. The table of locks races over
// new keys, and an array of mutexes keeps threads waiting while some are free: not here.
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
