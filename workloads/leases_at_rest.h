// SPDX-License-Identifier: Apache-2.0

// wrong_leases: whether an unused shard has all of its leases.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "primitives/concepts.h"

namespace lockbench {

// True if a second request of a thread for a lease of a shard returns the lease that the thread
// has.
template <class P>
inline constexpr bool kSharesLeases = [] {
  if constexpr (requires { P::kSharesLeases; }) return P::kSharesLeases;
  return false;
}();

namespace internal {

// Allows std::optional to hold the result of a function although its type cannot be moved.
template <class Make>
struct InPlace {
  Make make;
  operator std::invoke_result_t<Make>() const { return make(); }
};
template <class Make>
InPlace(Make) -> InPlace<Make>;  // clang before 17 has no deduction for an aggregate

template <class P, Key K>
std::uint64_t unavailable_leases(P& primitive, K shard) {
  using Handle = HandleOf<P, K>;
  const std::uint32_t capacity = primitive.capacity();
  // One more than there should be. An array of optionals, because a handle can be neither copied
  // nor moved.
  const auto room = std::make_unique<std::optional<Handle>[]>(capacity + 1);
  std::vector<bool> seen(capacity);
  std::uint32_t found = 0;
  std::uint32_t taken = 0;
  for (; taken <= capacity; ++taken) {
    room[taken].emplace(InPlace{[&] { return primitive.handle(shard); }});
    if (!room[taken]->try_lock()) break;
    const std::uint32_t lease = room[taken]->lease();
    if (lease >= capacity || seen[lease]) continue;
    seen[lease] = true;
    ++found;
  }
  for (std::uint32_t i = 0; i < taken; ++i) room[i]->unlock();
  return (capacity - found) + (taken - found);
}

}  // namespace internal

// The errors of an unused shard: leases that are missing, and leases that can be acquired more than
// once. If a thread can hold only one lease, the primitive's own counts are used. O(leases).
template <class P, Key K>
std::uint64_t wrong_leases(P& primitive, K shard) {
  if constexpr (kSharesLeases<P>) {
    const auto census = primitive.census(shard);
    return (primitive.capacity() - census.free) + census.out + census.waiting;
  } else {
    return internal::unavailable_leases(primitive, shard);
  }
}

}  // namespace lockbench
