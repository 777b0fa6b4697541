// SPDX-License-Identifier: Apache-2.0

// The locks of ours that the contract tests are run over, on every system that they are compiled
// for: a line per primitive and key type.
//
// Whoever adds a primitive adds its line here; the tests find out what it promises.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "primitives/adaptive_mutex.h"
#include "primitives/biased_recursive_mutex.h"
#include "primitives/concepts.h"
#include "primitives/futex_mutex.h"
#include "primitives/global_lock.h"
#include "primitives/keyed_limited.h"
#include "primitives/keyed_mutex.h"
#include "primitives/keyed_semaphore.h"
#include "primitives/keyed_shared_mutex.h"
#include "primitives/lease_pool.h"
#include "primitives/parking_mutex.h"
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

}  // namespace lockbench
