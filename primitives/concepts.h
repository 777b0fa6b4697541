// SPDX-License-Identifier: Apache-2.0

// Concepts: what a primitive is, and which operations it may offer.
//
// A primitive maps a key to a handle: one thread's claim on one key. The handle is Lockable in the
// sense of the standard ([thread.req.lockable]), so std::scoped_lock, std::unique_lock and
// std::lock take it as they take a mutex:
//
//   lockbench::StripedLock<std::mutex> accounts(64);
//   auto account = accounts.handle(user_id);     // no allocation; lives on this stack
//   std::scoped_lock guard(account);
//
// Rules for every handle
//   - it is used by the thread that made it, and outlives the lock that it took;
//   - it neither copies nor moves: other threads may hold its address while it waits;
//   - a string key is viewed, not copied: the characters outlive the handle;
//   - it is not destroyed while it holds its key. Debug builds report what violates these rules
//     (internal/misuse.h).
//
// Shared objects that share locks need one copy of their variables: platform/thread.h.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "primitives/platform/clock.h"
#include "primitives/promises.h"

namespace lockbench {

template <class L>
concept BasicLockable = requires(L& lock) {
  lock.lock();
  lock.unlock();
};

template <class L>
concept Lockable = BasicLockable<L> && requires(L& lock) {
  { lock.try_lock() } -> std::convertible_to<bool>;
};

template <class L>
concept TimedLockable = Lockable<L> &&
    requires(L& lock, std::chrono::nanoseconds timeout, platform::Time deadline) {
  { lock.try_lock_for(timeout) } -> std::convertible_to<bool>;
  { lock.try_lock_until(deadline) } -> std::convertible_to<bool>;
};

// A lock that several threads may hold in shared mode while no thread holds it exclusively.
template <class L>
concept SharedLockable = Lockable<L> && requires(L& lock) {
  lock.lock_shared();
  lock.unlock_shared();
  { lock.try_lock_shared() } -> std::convertible_to<bool>;
};

// A temporary object that owns characters, such as a std::string: a handle must not view them,
// because they are destroyed at the end of the statement. A std::string_view owns nothing.
template <class T>
concept TemporaryString =
    !std::is_lvalue_reference_v<T> && std::convertible_to<T, std::string_view> &&
    !std::is_trivially_destructible_v<T>;

template <class... T>
inline constexpr bool kAnyTemporaryString = (TemporaryString<T> || ...);

// A number with a fraction. It is no key of a primitive for whole numbers: 1.2 and 1.9 would be
// one.
template <class T>
concept Fractional = std::floating_point<std::remove_cvref_t<T>>;

// The two kinds of key. A string key is passed as a view.
template <class K>
concept Key = std::same_as<K, std::uint64_t> || std::same_as<K, std::string_view>;

// A primitive for keys of kind K. `capacity()` is how many handles of one key may hold at once;
// `lock_bytes()` is what the primitive occupies now, in bytes, its own object included.
template <class P, class K = std::uint64_t>
concept KeyedLock = Key<K> && requires(P& primitive, const P& constant, K key) {
  { primitive.handle(key) } -> Lockable;
  { constant.capacity() } -> std::convertible_to<std::uint32_t>;
  { constant.lock_bytes() } -> std::convertible_to<std::size_t>;
  { P::kPromises } -> std::convertible_to<Promises>;
};

template <class P, class K = std::uint64_t>
using HandleOf = decltype(std::declval<P&>().handle(std::declval<K>()));

// A primitive that takes two keys at once, in an order that cannot deadlock with any other thread
// that takes them this way, even when both keys are one or share a lock.
template <class P, class K = std::uint64_t>
concept PairLock = KeyedLock<P, K> && requires(P& primitive, K key) {
  { primitive.handle_both(key, key) } -> Lockable;
};

// A primitive whose holders each have a number of their own, below capacity().
template <class P, class K = std::uint64_t>
concept LeaseLock = KeyedLock<P, K> && requires(const HandleOf<P, K>& handle) {
  { handle.lease() } -> std::convertible_to<std::uint32_t>;
};

// The number of the holder, below capacity(); 0 if the primitive's holders have none.
template <class Handle>
std::uint32_t lease_of([[maybe_unused]] const Handle& handle) {
  if constexpr (requires { handle.lease(); }) {
    return handle.lease();
  } else {
    return 0;
  }
}

// The fencing token of the hold; 0 if the primitive gives none: a fence then refuses nothing.
template <class Handle>
std::uint64_t token_of([[maybe_unused]] const Handle& handle) {
  if constexpr (requires { handle.token(); }) {
    return handle.token();
  } else {
    return 0;
  }
}

// Waits at most `timeout` if the handle can wait for a time; else as try_lock().
template <class Handle>
bool try_lock_within(Handle& handle, [[maybe_unused]] std::chrono::nanoseconds timeout) {
  if constexpr (requires { handle.try_lock_for(timeout); }) {
    return handle.try_lock_for(timeout);
  } else {
    return handle.try_lock();
  }
}

// A primitive that can count the keys for which it uses memory; 0 if no thread uses it and it
// reclaims memory.
template <class P>
concept CountsKeys = requires(const P& primitive) {
  { primitive.keys_kept() } -> std::convertible_to<std::size_t>;
};

}  // namespace lockbench
