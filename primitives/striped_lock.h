// SPDX-License-Identifier: Apache-2.0

// StripedLock: a fixed array of base locks; a key's hash chooses one.
//
// Guarantees   mutual exclusion between threads per key; memory fixed at construction, whatever the
//              number of keys; several keys at once without deadlock, even when they share a
//              stripe.
// Not offered  independence of keys: two keys of one stripe wait for each other (a false conflict).
//              A thread that holds one key must not lock a second one through handle(), which may
//              be the same stripe: use handle_both() or handle_all().
// fork()       not while a thread holds or waits for any key, if the child uses the primitive.
// Cost         the base lock's own, a hash and a multiplication.
//
// Invariants
//   I1  a key's stripe depends on its hash and the stripe count alone.
//   I2  a thread that takes several stripes takes the lower index first, and an index that comes up
//   twice
//       once.
// Source       "Lock object sharing with hashes", a weblog entry of 8 January 2008; the padding and
//              the order for several keys are ours.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <string_view>
#include <vector>

#include "primitives/adaptive_mutex.h"
#include "primitives/concepts.h"
#include "primitives/internal/claim.h"
#include "primitives/internal/handle_pair.h"
#include "primitives/internal/handle_set.h"
#include "primitives/internal/misuse.h"
#include "primitives/internal/table_size.h"
#include "primitives/key.h"
#include "primitives/key_guard.h"
#include "primitives/platform/layout.h"

namespace lockbench {

template <BaseLock Base = AdaptiveMutex, class Hash = KeyHash>
class StripedLock : public internal::GuardMembers<StripedLock<Base, Hash>> {
 public:
  static constexpr Promises kPromises{.timed = TimedLockable<Base>};
  // A thread waits needlessly if another thread holds another key of its stripe. If t threads hold
  // one of many keys each, the probability is 1 - (1 - 1/stripes)^(t - 1) per thread: with 16
  // threads 6 % for 256 stripes, 21 % for 64, 54 % for 20. 256 stripes take 16 KiB.
  static constexpr std::size_t kDefaultStripes = 256;

  using Handle = internal::Claim<Base>;

  // `stripes`: at least 1; else throws std::invalid_argument.
  explicit StripedLock(std::size_t stripes = kDefaultStripes)
      : count_(stripes), stripes_(new Stripe[internal::table_size(stripes)]) {
    internal::require_argument(stripes != 0, "StripedLock: there must be at least 1 stripe");
  }

  Handle handle(std::uint64_t key) { return Handle(base(stripe_of(key))); }
  Handle handle(std::string_view key) { return Handle(base(stripe_of(key))); }
  Handle handle(CompositeKey key) { return Handle(base(stripe_of(key))); }
  void handle(Fractional auto key) = delete;
  // A key of a type of your own, which `Hash` hashes.
  template <OwnKey<Hash> K>
  Handle handle(const K& key) {
    return Handle(base(stripe_of(key)));
  }

  // Both keys at once (I2).
  template <class K>
  internal::HandlePair<Handle> handle_both(K a, K b) {
    const std::size_t x = stripe_of(a);
    const std::size_t y = stripe_of(b);
    if (x == y) return internal::HandlePair<Handle>(base(x));
    return internal::HandlePair<Handle>(base(x < y ? x : y), base(x < y ? y : x));
  }

  // All the keys at once (I2), be they numbers, strings or composite keys. No allocation; O(n log
  // n) for n keys.
  template <class... Keys>
  internal::HandleSet<internal::FixedHandles<Handle, sizeof...(Keys)>> handle_all(
      const Keys&... keys) {
    std::array<std::size_t, sizeof...(Keys)> stripes{stripe_of(keys)...};
    const std::size_t distinct = in_order(stripes);
    return {distinct, [&](std::size_t i) -> Base& { return base(stripes[i]); }};
  }

  // The same for a span or another range: a number of keys that only the program's run knows. Two
  // allocations.
  template <KeyRange Keys>
  internal::HandleSet<internal::HeapHandles<Handle>> handle_all(Keys&& keys) {
    std::vector<std::size_t> stripes;
    if constexpr (std::ranges::sized_range<Keys>) stripes.reserve(std::ranges::size(keys));
    for (const auto& key : keys) stripes.push_back(stripe_of(key));
    const std::size_t distinct = in_order(stripes);
    return {distinct, [&](std::size_t i) -> Base& { return base(stripes[i]); }};
  }

  // Index of the key's stripe, below stripes().
  std::size_t stripe_of(std::uint64_t key) const {
    return index_below(count_, spread_hash<Hash>(key));
  }
  std::size_t stripe_of(std::string_view key) const {
    return index_below(count_, spread_hash<Hash>(key));
  }
  std::size_t stripe_of(CompositeKey key) const { return index_below(count_, key.hash); }
  std::size_t stripe_of(Fractional auto key) const = delete;
  template <OwnKey<Hash> K>
  std::size_t stripe_of(const K& key) const {
    return index_below(count_, spread_hash<Hash>(key));
  }

  std::size_t stripes() const { return count_; }
  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this + count_ * sizeof(Stripe); }

 private:
  struct alignas(platform::kCacheLine) Stripe {
    Base base;
  };
  static_assert(sizeof(Stripe) % platform::kCacheLine == 0);

  // Sorts the indexes and moves each that came up to the front once; returns how many did.
  template <class Stripes>
  static std::size_t in_order(Stripes& stripes) {
    std::sort(stripes.begin(), stripes.end());
    const auto end = std::unique(stripes.begin(), stripes.end());
    return static_cast<std::size_t>(end - stripes.begin());
  }

  Base& base(std::size_t stripe) { return stripes_[stripe].base; }

  const std::size_t count_;
  const std::unique_ptr<Stripe[]> stripes_;
};

}  // namespace lockbench
