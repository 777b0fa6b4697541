// SPDX-License-Identifier: Apache-2.0

// KeyedTbb: an accessor of tbb::concurrent_hash_map, held as the lock of its key.
//
// Guarantees   mutual exclusion between threads per key; two different keys never share a lock,
//              whatever their hashes; a key is in the map from lock() to unlock().
// Not offered  recursion, timeouts, any order among waiters; sleeping: waiters spin and yield.
// Requires     the rules for handles in concepts.h.
// Cost         an allocation, an insertion and an erasure for each lock() and unlock().
//
// TBB has no call that takes an accessor only if it is free. But an insertion reports whether it
// added the key, and this decides in lock() and in try_lock():
//
// Invariants
//   I1  a key is in the map exactly while a thread holds it. TBB erases under the bucket's lock
//       while the holder still has the accessor, so no waiter ever gets a dead element's accessor.
//   I2  the holder has the element's accessor, except for the instant in try_lock() between its
//       insertion and its find(). A thread that gets the accessor of an element that it did not
//       insert came in this instant, and returns it at once, so that find() waits for no holder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include <oneapi/tbb/concurrent_hash_map.h>

#include "primitives/concepts.h"
#include "primitives/internal/handle_pair.h"
#include "primitives/key.h"
#include "primitives/peers/claimed_key.h"
#include "primitives/platform/spin.h"

namespace lockbench {

template <Key K>
class KeyedTbb {
 public:
  static constexpr Promises kPromises{.lock_per_key = true};

  class Handle;

  Handle handle(K key) { return Handle(internal::ClaimedKey<KeyedTbb, K>{*this, key}); }
  internal::HandlePair<Handle> handle_both(K a, K b) {
    return internal::claim_both<Handle>(*this, a, b);
  }

  static constexpr std::uint32_t capacity() { return 1; }

  // An estimate from the numbers of buckets and keys; characters of long keys and what the
  // allocator adds are not in it.
  std::size_t lock_bytes() const {
    // A bucket is a lock word and a link; a node is both and the element.
    constexpr std::size_t kBucket = 2 * sizeof(void*);
    return sizeof *this + held_.bucket_count() * kBucket +
           held_.size() * (kBucket + sizeof(typename Map::value_type));
  }

  std::size_t keys_kept() const { return held_.size(); }

 private:
  struct Nothing {};

  struct HashCompare {
    using is_transparent = void;
    std::size_t hash(const K& key) const { return KeyHash{}(key); }
    bool equal(const K& a, const K& b) const { return a == b; }
  };

  using Map = tbb::concurrent_hash_map<internal::StoredKey<K>, Nothing, HashCompare>;

  Map held_;
};

template <Key K>
class KeyedTbb<K>::Handle {
 public:
  explicit Handle(const internal::ClaimedKey<KeyedTbb, K>& claimed)
      : held_(claimed.owner.held_), key_(claimed.key) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  void lock() {
    while (!held_.insert(accessor_, key_)) {
      accessor_.release();  // I2
      platform::yield();
    }
  }

  bool try_lock() {
    const bool inserted = held_.emplace(std::piecewise_construct, std::forward_as_tuple(key_),
                                        std::forward_as_tuple());
    if (inserted) held_.find(accessor_, key_);  // I2
    return inserted;
  }

  void unlock() { held_.erase(accessor_); }

 private:
  Map& held_;
  const K key_;
  typename Map::accessor accessor_;
};

}  // namespace lockbench
