// SPDX-License-Identifier: Apache-2.0

// LockAdapter: wraps a concrete primitive as a LockUnderTest. It derives the abilities of a lock
// from the lock's promises and interface; the registry adds only what these two do not show.
#pragma once

#include <chrono>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "harness/stress/litmus/keys.h"
#include "harness/stress/lock_promises.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/wrapped_members.h"
#include "primitives/concepts.h"

namespace lockbench::stress {

// True if the class keeps something for a key that no thread uses, and says so.
template <class P>
constexpr bool keeps_idle_keys() {
  if constexpr (requires { P::kKeepsIdleKeys; }) {
    return P::kKeepsIdleKeys;
  } else {
    return false;
  }
}

// True if P has a constructor of these parameters. Of an aggregate, which has none, C++20 would
// take them for the values of its first members.
template <class P, class... Parameters>
inline constexpr bool kMadeFrom =
    std::conjunction_v<std::is_constructible<P, Parameters...>,
                       std::bool_constant<sizeof...(Parameters) == 0 || !std::is_aggregate_v<P>>>;

namespace internal {

template <class Handle>
inline constexpr bool kWaitsForTime = requires(Handle& handle, std::chrono::nanoseconds timeout) {
  handle.try_lock_for(timeout);
};

template <class P>
inline constexpr bool kHasConstantCapacity = requires {
  typename std::integral_constant<std::uint32_t, P::capacity()>;
};

template <class Handle>
inline constexpr bool kHasToken = requires(const Handle& handle) {
  handle.token();
};

// A primitive that counts its keys must keep nothing for a key that no thread uses, unless it
// declares `static constexpr bool kKeepsIdleKeys = true;`.
template <class P>
constexpr bool reclaims() {
  return CountsKeys<P> && !keeps_idle_keys<P>();
}

// The key with a given number: the number itself, or a name that lives as long as this object.
template <Key K>
class KeyOf {
 public:
  explicit KeyOf(std::uint64_t number) : key_(number) {}
  std::uint64_t key() const { return key_; }

 private:
  const std::uint64_t key_;
};

template <>
class KeyOf<std::string_view> {
 public:
  explicit KeyOf(std::uint64_t number) : name_(number) {}
  std::string_view key() const { return name_.view(); }

 private:
  const KeyName name_;
};

template <class Handle, Key K>
class HandleAdapter final : public LockHandle {
 public:
  // `make` returns the handle for the two keys. The handle cannot be moved.
  template <class Make>
  HandleAdapter(const Make& make, std::uint64_t a, std::uint64_t b)
      : a_(a), b_(b), handle_(make(a_.key(), b_.key())) {}

  void lock() override { handle_.lock(); }
  bool try_lock() override { return handle_.try_lock(); }
  bool try_lock_for(std::chrono::nanoseconds timeout) override {
    return try_lock_within(handle_, timeout);
  }
  void unlock() override { handle_.unlock(); }
  std::uint32_t lease() const override { return lease_of(handle_); }
  std::uint64_t token() const override { return token_of(handle_); }

  std::optional<bool> is_locked() const override {
    if constexpr (requires { handle_.is_locked(); }) {
      return handle_.is_locked();
    } else {
      return std::nullopt;
    }
  }
  std::optional<bool> is_held_by_this_thread() const override {
    if constexpr (requires { handle_.is_held_by_this_thread(); }) {
      return handle_.is_held_by_this_thread();
    } else {
      return std::nullopt;
    }
  }

 private:
  const KeyOf<K> a_;
  const KeyOf<K> b_;
  Handle handle_;
};

}  // namespace internal

template <class P, Key K>
class LockAdapter final : public LockUnderTest {
 public:
  explicit LockAdapter(std::unique_ptr<P> primitive) : primitive_(std::move(primitive)) {}

  std::unique_ptr<LockHandle> handle(std::uint64_t key) override {
    return erase([this](K a, K) { return primitive_->handle(a); }, key, key);
  }

  std::unique_ptr<LockHandle> handle_both(std::uint64_t a, std::uint64_t b) override {
    if constexpr (PairLock<P, K>) {
      return erase([this](K one, K other) { return primitive_->handle_both(one, other); }, a, b);
    } else {
      return nullptr;
    }
  }

  std::uint32_t capacity() const override { return primitive_->capacity(); }
  const void* object() const override { return primitive_.get(); }

  std::optional<std::size_t> keys_kept() const override {
    if constexpr (CountsKeys<P>) {
      return primitive_->keys_kept();
    } else {
      return std::nullopt;
    }
  }

 private:
  template <class Make>
  static std::unique_ptr<LockHandle> erase(const Make& make, std::uint64_t a, std::uint64_t b) {
    using Made = std::invoke_result_t<Make, K, K>;
    // Not make_unique(): a std::unique_ptr for each of hundreds of types takes a compiler seconds.
    return std::unique_ptr<LockHandle>(new internal::HandleAdapter<Made, K>(make, a, b));
  }

  const std::unique_ptr<P> primitive_;
};

// Makes the promises of one lock agree: what a promise says of a lock that is not of its kind, or
// that promises more, is left out.
constexpr void settle(Abilities& abilities) {
  if (!abilities.keys_read) {
    abilities.readers_order = ReadersOrder::kNone;
  } else if (abilities.fair && abilities.readers_order == ReadersOrder::kNone) {
    abilities.readers_order = ReadersOrder::kTaskFair;
  }
  if (abilities.keys_read || abilities.fair) abilities.bypass_limit = 0;
  if (abilities.limits.keys_below != 0) abilities.any_key = false;
}

// Adds the promises of the base lock that the lock is made of.
constexpr void add_promises(const LockPromises& of_base, Abilities& abilities) {
  keep_promises_of(of_base, abilities);
  settle(abilities);
}

// `static constexpr bool kLastMayDestroy = true` means: a thread that acquires the lock may destroy
// it if no other thread will use it, even if the unlock() that admitted this thread has not
// returned yet. That unlock() does not access the lock any more.
template <class L>
constexpr bool last_may_destroy() {
  if constexpr (requires { L::kLastMayDestroy; }) {
    return L::kLastMayDestroy;
  } else {
    return false;
  }
}

// `static constexpr bool kSmallKeys = true` means: the keys are less than the number of keys that
// it was made for.
template <class P>
constexpr bool has_small_keys() {
  if constexpr (requires { P::kSmallKeys; }) {
    return P::kSmallKeys;
  } else {
    return false;
  }
}

// The abilities that P's promises and interface declare.
template <class P, Key K>
Abilities abilities_of() {
  constexpr LockPromises kDeclared = P::kPromises;
  static_assert(kDeclared.limits.leave_room(),
                "limits: at least 2 threads and 2 keys, or 0 for no limit");
  static_assert(kForwardsMembers<dropped_members<P, K>()>,
                "a class that wraps a lock forwards each member of it, or names it in kLeftOut "
                "(harness/stress/wrapped_members.h)");
  using Handle = HandleOf<P, K>;
  Abilities abilities{kDeclared};
  abilities.timed |= internal::kWaitsForTime<Handle>;
  // The facts that the lock states without being made. The registry knows of other locks.
  if constexpr (internal::kHasConstantCapacity<P> && !LeaseLock<P, K>) {
    if (kDeclared.capacity == 1) abilities.capacity = P::capacity();
  }
  abilities.pairs = PairLock<P, K>;
  abilities.leases = LeaseLock<P, K>;
  abilities.tokens = internal::kHasToken<Handle>;
  abilities.reclaims = internal::reclaims<P>();
  abilities.nests_keys = kDeclared.lock_per_key && !LeaseLock<P, K>;
  abilities.any_key = !LeaseLock<P, K> && !has_small_keys<P>();
  abilities.names = std::is_same_v<K, std::string_view>;
  abilities.last_may_destroy = last_may_destroy<P>();
  abilities.of_form = DeclaresWhatItWraps<P>;
  if constexpr (requires { P::kKeysRead; }) {
    abilities.keys_read = true;
    abilities.any_key = false;
  }
  settle(abilities);
  return abilities;
}

// A registry entry for P with keys of kind K, made from `arguments`, which are copied.
template <class P, Key K = std::uint64_t, class... Arguments>
RegisteredLock lock_under_test(std::string name, std::string summary, Arguments... arguments) {
  static_assert(kMadeFrom<P, Arguments...>, "the lock has a constructor of these parameters");
  RegisteredLock line{.abilities = abilities_of<P, K>()};
  line.name = std::move(name);
  line.summary = std::move(summary);
  line.make = [=](std::uint64_t) -> std::unique_ptr<LockUnderTest> {
    return std::unique_ptr<LockUnderTest>(new LockAdapter<P, K>(std::make_unique<P>(arguments...)));
  };
  line.programs = programs_in(P::kPromises);
  return line;
}

// The entry of a lock that was made for so many holders of a key at once.
inline RegisteredLock with_permits(std::uint32_t permits, RegisteredLock line) {
  line.abilities.capacity = permits;
  return line;
}

}  // namespace lockbench::stress
