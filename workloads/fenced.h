// SPDX-License-Identifier: Apache-2.0

// FencedLock: a primitive that may take a key from its holder, and the fence that makes this safe.
#pragma once

#include <concepts>
#include <cstdint>

#include "primitives/concepts.h"

namespace lockbench {

// The handle returns the token of its hold, and whether the key was taken away. `P::Fence` protects
// the data of a key: pass(token, work) does the work unless it has seen the token of a later
// holder.
template <class P, class K = std::uint64_t>
concept FencedLock = KeyedLock<P, K> &&
    requires(const HandleOf<P, K>& handle, typename P::Fence& fence) {
  { handle.token() } -> std::convertible_to<std::uint64_t>;
  { handle.expired() } -> std::convertible_to<bool>;
  {
    fence.pass(handle.token(), [] {})
    } -> std::convertible_to<bool>;
};

}  // namespace lockbench
