// SPDX-License-Identifier: Apache-2.0

// WrappedMembers: the optional members of a lock and of its handles, in one list. A class that
// wraps a lock, so that the engines use it in another form, forwards each of them or says that it
// leaves it out, and why. A member that a wrapper drops is not checked, or makes a correct lock
// fail: if it drops lease(), two holders of two leases are one to the oracles.
//
// A wrapper declares
//
//   using Wrapped = P;                       the lock that it wraps
//   static constexpr Members kLeftOut = …;   the members that it does not forward
//
// and, if its handles wrap others than those of handle(), `using WrappedHandle`. Whatever becomes a
// lock under test is checked by kForwardsMembers at compile time (lock_adapter.h). A new optional
// member gets a line in handle_members() or lock_members(), and is then missing in each wrapper.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <span>

#include "primitives/concepts.h"

namespace lockbench {

using Members = std::uint32_t;

namespace members {

// Members of a handle:
inline constexpr Members kLease = 1U << 0;
inline constexpr Members kToken = 1U << 1;
inline constexpr Members kIsLocked = 1U << 2;
inline constexpr Members kIsHeldByThisThread = 1U << 3;
inline constexpr Members kTimeouts = 1U << 4;  // try_lock_for()
inline constexpr Members kStops = 1U << 5;     // lock() that a stop ends
inline constexpr Members kSharedHolds = 1U << 6;
inline constexpr Members kSharedTimeouts = 1U << 7;
inline constexpr Members kSharedStops = 1U << 8;
// Members of a lock:
inline constexpr Members kTwoKeys = 1U << 9;        // handle_both()
inline constexpr Members kKeysTogether = 1U << 10;  // handle_all()
inline constexpr Members kKeysKept = 1U << 11;
inline constexpr Members kKeepsIdle = 1U << 12;       // kKeepsIdleKeys
inline constexpr Members kKeysAreSmall = 1U << 13;    // kSmallKeys
inline constexpr Members kMayBeDestroyed = 1U << 14;  // kLastMayDestroy

inline constexpr Members kEachSharedMember = kSharedHolds | kSharedTimeouts | kSharedStops;

}  // namespace members

namespace internal {

// Becomes whatever token of a stop a function takes.
struct AnyStop {
  template <class Token>
  operator Token() const;  // NOLINT: implicit by intent
};

}  // namespace internal

template <class H>
consteval Members handle_members() {
  constexpr bool kHasLease = requires(const H& handle) {
    handle.lease();
  };
  constexpr bool kHasToken = requires(const H& handle) {
    handle.token();
  };
  constexpr bool kTellsLocked = requires(const H& handle) {
    handle.is_locked();
  };
  constexpr bool kTellsOwner = requires(const H& handle) {
    handle.is_held_by_this_thread();
  };
  constexpr bool kWaits = requires(H & handle, std::chrono::nanoseconds t) {
    handle.try_lock_for(t);
  };
  constexpr bool kStops = requires(H & handle) {
    handle.lock(internal::AnyStop());
  };
  constexpr bool kSharedWaits = requires(H & handle, std::chrono::nanoseconds t) {
    handle.try_lock_shared_for(t);
  };
  constexpr bool kSharedStops = requires(H & handle) {
    handle.lock_shared(internal::AnyStop());
  };
  return (kHasLease ? members::kLease : 0) | (kHasToken ? members::kToken : 0) |
         (kTellsLocked ? members::kIsLocked : 0) |
         (kTellsOwner ? members::kIsHeldByThisThread : 0) | (kWaits ? members::kTimeouts : 0) |
         (kStops ? members::kStops : 0) | (SharedLockable<H> ? members::kSharedHolds : 0) |
         (kSharedWaits ? members::kSharedTimeouts : 0) | (kSharedStops ? members::kSharedStops : 0);
}

template <class P, class K>
consteval Members lock_members() {
  constexpr bool kTakesAll = requires(P & lock, std::span<const std::uint64_t> keys) {
    lock.handle_all(keys);
  };
  Members all = (PairLock<P, K> ? members::kTwoKeys : 0) |
                (kTakesAll ? members::kKeysTogether : 0) | (CountsKeys<P> ? members::kKeysKept : 0);
  if constexpr (requires { P::kKeepsIdleKeys; }) all |= P::kKeepsIdleKeys ? members::kKeepsIdle : 0;
  if constexpr (requires { P::kSmallKeys; }) all |= P::kSmallKeys ? members::kKeysAreSmall : 0;
  if constexpr (requires { P::kLastMayDestroy; }) {
    all |= P::kLastMayDestroy ? members::kMayBeDestroyed : 0;
  }
  return all;
}

namespace internal {

template <class P, class K>
struct WrappedHandleOf {
  using Type = HandleOf<typename P::Wrapped, K>;
};
template <class P, class K>
requires requires {
  typename P::WrappedHandle;
}
struct WrappedHandleOf<P, K> {
  using Type = typename P::WrappedHandle;
};

}  // namespace internal

// The members that the wrapper drops without saying so; 0 of a lock that wraps none.
template <class P, class K>
consteval Members dropped_members() {
  if constexpr (requires { typename P::Wrapped; }) {
    using Inner = typename internal::WrappedHandleOf<P, K>::Type;
    const Members had = handle_members<Inner>() | lock_members<typename P::Wrapped, K>();
    const Members has = handle_members<HandleOf<P, K>>() | lock_members<P, K>();
    return had & ~has & ~P::kLeftOut;
  } else {
    return 0;
  }
}

// The number of the members shows in the compiler's message.
template <Members kDropped>
inline constexpr bool kForwardsMembers = kDropped == 0;

// A class that wraps a lock, and so is checked.
template <class P>
concept DeclaresWhatItWraps = requires {
  typename P::Wrapped;
  { P::kLeftOut } -> std::convertible_to<Members>;
};

}  // namespace lockbench
