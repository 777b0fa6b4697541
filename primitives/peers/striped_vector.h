// SPDX-License-Identifier: Apache-2.0

// StripedVector: stripes as most people write them: a vector of mutexes side by side, and a
// modulus.
//
// Guarantees   mutual exclusion between threads per key; two keys at once in the order of their
//              stripes, without deadlock.
// Not offered  padding: neighbouring mutexes share cache lines; independence of keys; timeouts.
// Cost         the mutex's own, a hash and a division.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <vector>

#include "primitives/concepts.h"
#include "primitives/internal/claim.h"
#include "primitives/internal/handle_pair.h"
#include "primitives/key.h"

namespace lockbench {

class StripedVector {
 public:
  static constexpr Promises kPromises{};
  static constexpr std::size_t kDefaultStripes = 20;

  using Handle = internal::Claim<std::mutex>;

  // `stripes`: at least 1.
  explicit StripedVector(std::size_t stripes = kDefaultStripes) : stripes_(stripes) {}

  Handle handle(std::uint64_t key) { return Handle(stripes_[stripe_of(key)]); }
  Handle handle(std::string_view key) { return Handle(stripes_[stripe_of(key)]); }

  // Both keys at once, the lower stripe first; one stripe is taken once.
  template <Key K>
  internal::HandlePair<Handle> handle_both(K a, K b) {
    const std::size_t x = stripe_of(a);
    const std::size_t y = stripe_of(b);
    if (x == y) return internal::HandlePair<Handle>(stripes_[x]);
    return internal::HandlePair<Handle>(stripes_[x < y ? x : y], stripes_[x < y ? y : x]);
  }

  // Index of the key's stripe, below stripes().
  template <Key K>
  std::size_t stripe_of(K key) const {
    return KeyHash{}(key) % stripes_.size();
  }

  std::size_t stripes() const { return stripes_.size(); }
  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this + stripes_.capacity() * sizeof(std::mutex); }

 private:
  std::vector<std::mutex> stripes_;
};

}  // namespace lockbench
