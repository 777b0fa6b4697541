// SPDX-License-Identifier: Apache-2.0

// KeyTable: the textbook way to lock by key, which the keyed peers are made of: a map from keys
// to locks, in shards, each under a mutex of its own.
//
// Guarantees   mutual exclusion between threads per key; two different keys never share a lock,
//              whatever their hashes. With IdleKeys::kErased a key is kept from the first thread
//              that requests it to the last one that leaves; with kKept it is never removed.
// Not offered  recursion, timeouts, any order among waiters beyond the base lock's.
// Requires     a map whose elements do not move while others are inserted and erased.
// Cost         lock: a look-up under the shard's mutex, and an allocation when the key is new.
//              unlock reaches its entry through the handle; with kErased it takes the shard's mutex
//              again, and looks the key up only to erase it.
//
// Invariants, under the shard's mutex
//   I1  with kErased, users counts the threads that hold or wait for the entry's lock, or are about
//       to; an entry with no users is not in the map.
//   I2  a thread keeps a pointer to an entry only while it is counted in users, or kIdle is kKept.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "primitives/concepts.h"
#include "primitives/internal/handle_pair.h"
#include "primitives/key.h"
#include "primitives/peers/claimed_key.h"
#include "primitives/platform/layout.h"

namespace lockbench::internal {

enum class IdleKeys { kErased, kKept };

// Hash of stored keys and of views of them alike. Not noexcept: libstdc++ then keeps the hash in
// the node instead of computing it again for each node that a look-up passes.
template <Key K, class Hash>
struct TransparentHash {
  using is_transparent = void;
  std::size_t operator()(const K& key) const { return Hash{}(key); }
};

// `Maps` names the map: Maps::Of<K, Entry>, and Maps::bytes(map), what a map keeps outside its own
// object, in bytes, the characters of long keys apart.
template <Key K, class Maps, std::size_t kShards, IdleKeys kIdle, Lockable Base>
class KeyTable {
 public:
  static constexpr Promises kPromises{.lock_per_key = true};
  static constexpr bool kKeepsIdleKeys = kIdle == IdleKeys::kKept;

  class Handle;

  Handle handle(K key) { return Handle(ClaimedKey<KeyTable, K>{*this, key}); }
  HandlePair<Handle> handle_both(K a, K b) { return claim_both<Handle>(*this, a, b); }

  static constexpr std::uint32_t capacity() { return 1; }

  // An estimate from sizes and capacities: what the allocator adds to each block is not in it.
  // O(keys kept).
  std::size_t lock_bytes() const {
    std::size_t bytes = sizeof *this;
    for (const Shard& shard : shards_) bytes += shard.bytes_outside();
    return bytes;
  }

  // Keys that are in the map now.
  std::size_t keys_kept() const {
    std::size_t count = 0;
    for (const Shard& shard : shards_) count += shard.size();
    return count;
  }

 private:
  struct Entry {
    Base base;
    std::uint32_t users = 0;  // I1
  };
  using Map = typename Maps::template Of<K, Entry>;

  class alignas(platform::kCacheLine) Shard {
   public:
    Entry& enter(K key) {
      std::scoped_lock guard(mutex_);
      const auto found = entries_.find(key);
      Entry& entry = (found != entries_.end() ? found : emplace(key))->second;
      if constexpr (kIdle == IdleKeys::kErased) ++entry.users;
      return entry;
    }

    void leave(K key, Entry& entry) {
      if constexpr (kIdle == IdleKeys::kErased) {
        std::scoped_lock guard(mutex_);
        if (--entry.users == 0) entries_.erase(entries_.find(key));
      }
    }

    std::size_t size() const {
      std::scoped_lock guard(mutex_);
      return entries_.size();
    }

    std::size_t bytes_outside() const {
      std::scoped_lock guard(mutex_);
      std::size_t bytes = Maps::bytes(entries_);
      for (const auto& [key, entry] : entries_) bytes += internal::bytes_outside(key);
      return bytes;
    }

   private:
    auto emplace(K key) { return entries_.try_emplace(StoredKey<K>(key)).first; }

    mutable std::mutex mutex_;
    Map entries_;
  };

  // The map takes its bucket from the low bits of its hash or from all of them; the shard comes
  // from the high bits of another hash, so that the keys of one shard still spread over its
  // buckets.
  Shard& shard_of(K key) {
    if constexpr (kShards == 1) {
      return shards_.front();
    } else {
      return shards_[index_below(kShards, KeyHash{}(key))];
    }
  }

  std::array<Shard, kShards> shards_;
};

template <Key K, class Maps, std::size_t kShards, IdleKeys kIdle, Lockable Base>
class KeyTable<K, Maps, kShards, kIdle, Base>::Handle {
 public:
  explicit Handle(const ClaimedKey<KeyTable, K>& claimed)
      : shard_(claimed.owner.shard_of(claimed.key)), key_(claimed.key) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  void lock() {
    entry_ = &shard_.enter(key_);
    entry_->base.lock();
  }

  bool try_lock() {
    entry_ = &shard_.enter(key_);
    if (entry_->base.try_lock()) return true;
    shard_.leave(key_, *entry_);
    return false;
  }

  void unlock() {
    entry_->base.unlock();
    shard_.leave(key_, *entry_);
  }

 private:
  Shard& shard_;
  const K key_;
  Entry* entry_ = nullptr;
};

}  // namespace lockbench::internal
