// SPDX-License-Identifier: Apache-2.0

// The parts that the keyed peers share: how a table keeps a key, and what a handle is made from.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "primitives/concepts.h"
#include "primitives/internal/handle_pair.h"

namespace lockbench::internal {

// A table outlives the characters that a handle views, so it keeps a copy of its own.
template <Key K>
using StoredKey = std::conditional_t<std::same_as<K, std::string_view>, std::string, K>;

// Bytes that a stored key keeps outside its own object.
inline std::size_t bytes_outside(std::uint64_t) {
  return 0;
}
inline std::size_t bytes_outside(const std::string& key) {
  static const std::size_t inside = std::string().capacity();
  return key.capacity() > inside ? key.capacity() + 1 : 0;
}

template <class Owner, Key K>
struct ClaimedKey {
  Owner& owner;
  K key;
};

// Both keys at once, in the order of the keys; equal keys are taken once.
template <class Handle, class Owner, Key K>
HandlePair<Handle> claim_both(Owner& owner, K a, K b) {
  using Claimed = ClaimedKey<Owner, K>;
  if (a == b) return HandlePair<Handle>(Claimed{owner, a});
  if (b < a) std::swap(a, b);
  return HandlePair<Handle>(Claimed{owner, a}, Claimed{owner, b});
}

}  // namespace lockbench::internal
