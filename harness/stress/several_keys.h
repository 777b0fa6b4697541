// SPDX-License-Identifier: Apache-2.0

// SeveralKeys: the form of a lock by key whose holds are of several of its keys, which are acquired
// together by handle_all().
//
// Each key of the form stands for three keys of the lock, and a hold of it is of two of these. So
// any two holds have a key of the lock in common, but not always the same one, and a key that
// handle_all() leaves out lets a second holder in. One of the two is given twice, and the greater
// one first: handle_all() accepts both.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "harness/stress/lock_adapter.h"
#include "harness/stress/lock_promises.h"
#include "harness/stress/wrapped_members.h"
#include "primitives/concepts.h"
#include "primitives/platform/atomic.h"

namespace lockbench {

template <class P>
concept SeveralKeysLock = KeyedLock<P> && requires(P& lock, std::span<const std::uint64_t> keys) {
  { lock.handle_all(keys) } -> Lockable;
};

template <SeveralKeysLock P>
class SeveralKeys {
  static constexpr std::size_t kKeysOfOne = 3;
  using Inner = decltype(std::declval<P&>().handle_all(std::span<const std::uint64_t>()));

 public:
  using Wrapped = P;
  using WrappedHandle = Inner;
  // Each hold is of several keys already, which have no number and no token in common, and readers
  // of several keys are not tested. handle_all() releases one key after the other, and the first
  // lets another thread in, which must not destroy the lock then.
  static constexpr Members kLeftOut = members::kKeysTogether | members::kLease | members::kToken |
                                      members::kEachSharedMember | members::kMayBeDestroyed;
  static constexpr bool kKeepsIdleKeys = stress::keeps_idle_keys<P>();
  static constexpr bool kSmallKeys = true;  // the three of a great one are no numbers of 64 bits

  // A try fails while another thread has acquired one of its keys, and waits for the next one.
  static constexpr auto kPromises = [] {
    LockPromises promises = P::kPromises;
    promises.strong_try = false;
    promises.fair = false;
    promises.refuses_non_owners = false;
    // A program of its author may hold other keys.
    promises.programs = {};
    return promises;
  }();

  class Handle {
   public:
    template <std::size_t kNumber>
    Handle(P& lock, const std::array<std::uint64_t, kNumber>& keys)
        : keys_(lock.handle_all(std::span<const std::uint64_t>(keys))) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    void lock() { keys_.lock(); }
    bool try_lock() { return keys_.try_lock(); }
    bool try_lock_for(std::chrono::nanoseconds timeout) requires requires(Inner& keys) {
      keys.try_lock_for(timeout);
    }
    { return keys_.try_lock_for(timeout); }
    template <class Stop>
    bool lock(const Stop& stop) requires requires(Inner& keys) {
      keys.lock(stop);
    }
    { return keys_.lock(stop); }
    void unlock() { keys_.unlock(); }
    bool is_locked() const requires requires(const Inner& keys) { keys.is_locked(); }
    { return keys_.is_locked(); }
    bool is_held_by_this_thread() const requires requires(const Inner& keys) {
      keys.is_held_by_this_thread();
    }
    { return keys_.is_held_by_this_thread(); }

   private:
    Inner keys_;
  };

  template <class... Arguments>
  requires stress::kMadeFrom<P, Arguments...>
  explicit SeveralKeys(Arguments... arguments) : lock_(arguments...) {}

  Handle handle(std::uint64_t key) {
    const auto [one, other] = two_of(key);
    return Handle(lock_, std::array{other, one, other});
  }
  Handle handle_both(std::uint64_t a, std::uint64_t b) {
    const auto [a_one, a_other] = two_of(a);
    const auto [b_one, b_other] = two_of(b);
    return Handle(lock_, std::array{a_other, b_one, a_one, b_other});
  }
  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return lock_.lock_bytes(); }
  std::size_t keys_kept() const requires CountsKeys<P> { return lock_.keys_kept(); }

 private:
  // In ascending order. relaxed: any number will do.
  std::pair<std::uint64_t, std::uint64_t> two_of(std::uint64_t key) {
    const std::uint64_t first = kKeysOfOne * key;
    const std::uint64_t left_out = holds_.fetch_add(1, std::memory_order_relaxed) % kKeysOfOne;
    return {first + (left_out == 0 ? 1 : 0), first + (left_out == 2 ? 1 : 2)};
  }

  P lock_;
  platform::Atomic<std::uint64_t> holds_{0};
};

}  // namespace lockbench
