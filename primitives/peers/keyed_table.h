// SPDX-License-Identifier: Apache-2.0

// KeyedTable, KeyedTableSharded, KeyedLeaky: what textbooks do to lock by key, with the standard
// library's map.
//
//   KeyedTable         one mutex, one std::unordered_map, a reference count per key
//   KeyedTableSharded  64 shards of a KeyedTable, each on cache lines of its own
//   KeyedLeaky         these shards without counts: a key that was used once is never removed
//
// The guarantees are those of KeyTable.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <unordered_map>

#include "primitives/concepts.h"
#include "primitives/peers/claimed_key.h"
#include "primitives/peers/key_table.h"

namespace lockbench {

namespace internal {

struct StandardMaps {
  template <Key K, class Entry>
  using Of =
      std::unordered_map<StoredKey<K>, Entry, TransparentHash<K, std::hash<K>>, std::equal_to<>>;

  template <class Map>
  static std::size_t bytes(const Map& map) {
    // A node is the element, a link and the hash.
    constexpr std::size_t kNode = sizeof(typename Map::value_type) + 2 * sizeof(void*);
    return map.bucket_count() * sizeof(void*) + map.size() * kNode;
  }
};

}  // namespace internal

inline constexpr std::size_t kDefaultTableShards = 64;

template <Key K, Lockable Base = std::mutex>
using KeyedTable =
    internal::KeyTable<K, internal::StandardMaps, 1, internal::IdleKeys::kErased, Base>;

template <Key K, std::size_t kShards = kDefaultTableShards, Lockable Base = std::mutex>
using KeyedTableSharded =
    internal::KeyTable<K, internal::StandardMaps, kShards, internal::IdleKeys::kErased, Base>;

template <Key K, std::size_t kShards = kDefaultTableShards, Lockable Base = std::mutex>
using KeyedLeaky =
    internal::KeyTable<K, internal::StandardMaps, kShards, internal::IdleKeys::kKept, Base>;

}  // namespace lockbench
