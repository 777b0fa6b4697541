// SPDX-License-Identifier: Apache-2.0

// KeyedAbsl: the sharded table of locks with Abseil's hash map and hash.
//
// The map is absl::node_hash_map: a flat map would move locks while threads wait in them. The
// guarantees are those of KeyTable.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>

#include "absl/container/node_hash_map.h"
#include "absl/hash/hash.h"
#include "primitives/concepts.h"
#include "primitives/peers/claimed_key.h"
#include "primitives/peers/key_table.h"

namespace lockbench {

namespace internal {

struct AbslMaps {
  template <Key K, class Entry>
  using Of =
      absl::node_hash_map<StoredKey<K>, Entry, TransparentHash<K, absl::Hash<K>>, std::equal_to<>>;

  template <class Map>
  static std::size_t bytes(const Map& map) {
    // A slot is a pointer to the element and a byte of its hash.
    constexpr std::size_t kSlot = sizeof(void*) + 1;
    return map.capacity() * kSlot + map.size() * sizeof(typename Map::value_type);
  }
};

}  // namespace internal

template <Key K, std::size_t kShards = 64, Lockable Base = std::mutex>
using KeyedAbsl =
    internal::KeyTable<K, internal::AbslMaps, kShards, internal::IdleKeys::kErased, Base>;

}  // namespace lockbench
