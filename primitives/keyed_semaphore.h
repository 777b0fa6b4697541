// SPDX-License-Identifier: Apache-2.0

// KeyedSemaphore: a semaphore for every key in use, which a number of threads may hold at once, and
// no memory for the other keys.
//
//   lockbench::KeyedSemaphore<std::string_view> requests(4);   // per tenant
//   auto permit = requests.lock(tenant);                       // at most 4 are here
//
// LeasePool is the choice if there are few keys that are known in advance, or if each holder needs
// a number of its own.
//
// Guarantees   at most `permits` holders of a key; two different keys never share permits, whatever
//              their hashes; no memory for an idle key; no allocation after construction; permits
//              are given in the order in which the threads came.
// Not offered  permits that one thread takes and another one returns; several permits at once.
// Requires     the rules for handles in concepts.h; the primitive outlives its handles. A thread
//              that holds a permit and waits for another one of the same key may deadlock with
//              others that do the same.
// fork()       not while any key is held or waited for, if the child uses the primitive.
// Cost         lock and unlock: the bucket's mutex and a walk over what is held in the bucket. Each
//              permit that was waited for is handed over, which costs a wake-up.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "primitives/concepts.h"
#include "primitives/internal/misuse.h"
#include "primitives/internal/shared_buckets.h"
#include "primitives/internal/timed.h"
#include "primitives/key.h"
#include "primitives/key_guard.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/stop.h"

namespace lockbench {

template <class K = std::uint64_t, HashOf<K> Hash = DefaultKeyHash<K>>
class KeyedSemaphore : public internal::GuardMembers<KeyedSemaphore<K, Hash>, K> {
 public:
  static constexpr Promises kPromises{.lock_per_key = true, .timed = true, .fair = true};
  static constexpr std::size_t kDefaultBuckets = 1024;
  static constexpr std::uint32_t kDefaultPermits = 10;

  class Handle;

  // `permits` of each key, at least 1; else throws std::invalid_argument. `buckets`, at least 1, is
  // rounded up to a power of two; about twice the keys held at once keeps the walks short.
  explicit KeyedSemaphore(std::uint32_t permits = kDefaultPermits,
                          std::size_t buckets = kDefaultBuckets)
      : keys_(permits, buckets) {
    internal::require_argument(permits != 0, "KeyedSemaphore: there must be at least 1 permit");
  }

  // A handle views a string key: the characters outlive the handle.
  Handle handle(K key) { return Handle(Claimed{keys_, std::move(key)}); }
  template <TemporaryString T>
  requires std::same_as<K, std::string_view>
  void handle(T&& key) = delete;
  template <Fractional F>
  requires std::integral<K>
  void handle(F key) = delete;

  std::uint32_t capacity() const { return keys_.units(); }
  std::size_t lock_bytes() const { return sizeof *this + keys_.bytes(); }

  // Keys that are held now. O(buckets).
  std::size_t keys_kept() const {
    std::size_t count = 0;
    keys_.for_each_held([&count](const K&) { ++count; });
    return count;
  }

  // For the inspection of a program, not for decisions: out of date when they return.
  bool is_locked(K key) const { return keys_.has_holder_of(probe(std::move(key))); }
  std::size_t waiters(K key) const { return keys_.waiters_for(probe(std::move(key))); }
  // Calls visit(key) for each key that is held; visit() must not use this primitive. O(buckets).
  template <class Visit>
  void for_each_held(const Visit& visit) const {
    keys_.for_each_held(visit);
  }

 private:
  using Buckets = internal::SharedBuckets<K, Hash, internal::Turns::kInOrder>;

  struct Claimed {
    Buckets& keys;
    K key;
  };

  static typename Buckets::Node probe(K key) {
    const std::uint64_t hash = spread_hash<Hash>(key);
    return {hash, std::move(key)};
  }

  Buckets keys_;
};

template <class K, HashOf<K> Hash>
class KeyedSemaphore<K, Hash>::Handle : public internal::TimedMembers<Handle> {
 public:
  explicit Handle(Claimed&& claimed) : Handle(claimed, spread_hash<Hash>(claimed.key)) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  ~Handle() {
    internal::check_use([this] { return node_.units == 0; },
                        "KeyedSemaphore: a handle is destroyed while it holds a permit");
  }

  // A handle that holds a permit already: throws std::system_error with the code
  // resource_deadlock_would_occur; try_lock() returns false.
  void lock() { keys_.acquire(node_, 1, platform::kForever); }
  bool try_lock() { return keys_.try_acquire(node_, 1); }
  bool lock_before(platform::Time deadline) { return keys_.acquire(node_, 1, deadline); }
  void unlock() {
    internal::check_use([this] { return node_.units != 0; },
                        "KeyedSemaphore: unlock() of a handle that holds no permit");
    keys_.release(node_);
  }

#if LOCKBENCH_HAS_STOP_TOKEN
  // False if a stop was requested first.
  [[nodiscard]] bool lock(const platform::StopToken& stop) {
    return keys_.acquire(node_, 1, stop);
  }
#endif

 private:
  Handle(Claimed& claimed, std::uint64_t hash)
      : keys_(claimed.keys), node_(hash, std::move(claimed.key)) {}

  Buckets& keys_;
  typename Buckets::Node node_;
};

}  // namespace lockbench
