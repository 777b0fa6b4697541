// SPDX-License-Identifier: Apache-2.0

// FencedLock: a primitive that may take a key from its holder, with the fence that makes it safe.
#pragma once

#include <concepts>
#include <cstdint>

#include "primitives/concepts.h"

namespace lockbench {

// The handle tells its grant's token, and whether the key was taken away. `P::Fence` guards what a
// key stands for: pass(token, work) does the work unless a later holder's token has been there.
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
