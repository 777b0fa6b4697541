// SPDX-License-Identifier: Apache-2.0

// KeyGuard: a key that is held, in one object: the handle, and whether it is locked.
//
//   auto guard = accounts.lock(user);                        // unlocked at the end of the scope
//   if (auto soon = accounts.try_lock_for(user, 5ms)) { … }  // may hold nothing
//   auto both = accounts.lock_all({from, to});               // any number of keys, in a safe order
//
// Guarantees   the destructor unlocks what is held. A guard of several keys holds all of them or
//              none.
// Not offered  copies and moves: other threads may know the address of the handle inside. A
//              function may return a guard that it has just made.
// Requires     the rules for handles in concepts.h: the thread that made a guard destroys it, and
//              the characters of a string key outlive it. Threads that take several keys by
//              lock_all() or handle_both() of one primitive do not take more of its keys while they
//              hold these.
// Cost         only the cost of the handle. lock_all(): two allocations, O(n log n) for n keys.
#pragma once

#include <concepts>
#include <initializer_list>
#include <ranges>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "primitives/concepts.h"
#include "primitives/platform/stop.h"

namespace lockbench {

// `Handle` is Lockable: the handle of one key, or of several.
template <class Handle>
class [[nodiscard]] KeyGuard {
 public:
  // For primitives: `make()` returns the handle, and `take(handle)` whether it is locked now.
  template <class Make, class Take>
  KeyGuard(const Make& make, const Take& take) : handle_(make()), owns_(take(handle_)) {}
  // Compilers quote these lines.
  KeyGuard(const KeyGuard&) = delete;  // a guard stays where it was made: pass a reference to it
  KeyGuard(KeyGuard&&) = delete;       // a guard does not move: hold several keys by lock_all()
  KeyGuard& operator=(const KeyGuard&) = delete;
  ~KeyGuard() {
    if (owns_) handle_.unlock();
  }

  // True if it holds its key; never false after lock(key).
  bool owns_lock() const noexcept { return owns_; }
  explicit operator bool() const noexcept { return owns_; }

  // Before the end of the scope. Requires owns_lock(). Returns what the handle's unlock() returns.
  auto unlock() {
    owns_ = false;
    return handle_.unlock();
  }

  // The handle, for its other members, for example a lease or a token.
  const Handle& handle() const noexcept { return handle_; }

 private:
  Handle handle_;
  bool owns_;
};

// A handle's shared hold as a Lockable, for KeyGuard.
template <SharedLockable Handle>
class SharedHold {
 public:
  template <class Make>
  explicit SharedHold(const Make& make) : handle_(make()) {}
  SharedHold(const SharedHold&) = delete;
  SharedHold& operator=(const SharedHold&) = delete;

  void lock() { handle_.lock_shared(); }
  bool try_lock() { return handle_.try_lock_shared(); }
  void unlock() { handle_.unlock_shared(); }

  template <class Timeout>
  bool try_lock_for(const Timeout& timeout) requires requires(Handle& handle) {
    handle.try_lock_shared_for(timeout);
  }
  { return handle_.try_lock_shared_for(timeout); }
  template <class Deadline>
  bool try_lock_until(const Deadline& deadline) requires requires(Handle& handle) {
    handle.try_lock_shared_until(deadline);
  }
  { return handle_.try_lock_shared_until(deadline); }
  template <class Stop>
  bool lock(const Stop& stop) {
    return handle_.lock_shared(stop);
  }

  const Handle& inner() const { return handle_; }

 private:
  Handle handle_;
};

// Keys that lock_all() takes: not a string, which is one key, and nothing that views characters of
// a temporary object, which the guard would outlive.
template <class R>
concept KeyRange = std::ranges::input_range<R> && !std::convertible_to<R, std::string_view> &&
                   !TemporaryString<std::ranges::range_reference_t<R>> &&
                   (std::ranges::borrowed_range<R> ||
                    std::is_trivially_destructible_v<std::ranges::range_value_t<R>>);

namespace internal {

#if LOCKBENCH_HAS_STOP_TOKEN
// True if a wait for several keys of P ends when a stop is requested.
template <class P, class Keys>
concept StopsForAll = requires(P& primitive, Keys& keys, const platform::StopToken& stop) {
  primitive.handle_all(keys).lock(stop);
};
#endif

// The members lock(), try_lock() and lock_all() of a primitive P that has handle(), and for several
// keys handle_all(). `K` is the type of a key that is written in braces.
template <class P, class K = std::uint64_t>
class GuardMembers {
 public:
  template <class Given = K>
  requires requires(P& primitive, Given&& key) { primitive.handle(std::forward<Given>(key)); }
  [[nodiscard]] auto lock(Given&& key) { return guard_of(std::forward<Given>(key), kForGood); }

  // One attempt.
  template <class Given = K>
  requires requires(P& primitive, Given&& key) { primitive.handle(std::forward<Given>(key)); }
  [[nodiscard]] auto try_lock(Given&& key) { return guard_of(std::forward<Given>(key), kOnce); }

  // `timeout` is a std::chrono::duration.
  template <class Given = K, class Timeout>
  requires requires(P& primitive, Given&& key) { primitive.handle(std::forward<Given>(key)); }
  [[nodiscard]] auto try_lock_for(Given&& key, const Timeout& timeout) {
    return guard_of(std::forward<Given>(key),
                    [&timeout](auto& handle) { return handle.try_lock_for(timeout); });
  }

  // `deadline` is a std::chrono::time_point of any clock.
  template <class Given = K, class Deadline>
  requires requires(P& primitive, Given&& key) { primitive.handle(std::forward<Given>(key)); }
  [[nodiscard]] auto try_lock_until(Given&& key, const Deadline& deadline) {
    return guard_of(std::forward<Given>(key),
                    [&deadline](auto& handle) { return handle.try_lock_until(deadline); });
  }

#if LOCKBENCH_HAS_STOP_TOKEN
  // Holds nothing if a stop was requested before the key was released to this thread. A key that is
  // free is taken in any case.
  template <class Given = K>
  requires requires(P& primitive, Given&& key, const platform::StopToken& stop) {
    primitive.handle(std::forward<Given>(key)).lock(stop);
  }
  [[nodiscard]] auto lock(Given&& key, const platform::StopToken& stop) {
    return guard_of(std::forward<Given>(key), [&stop](auto& handle) { return handle.lock(stop); });
  }
#endif

  // Shared holds, of a primitive whose handles have them.
  template <class Given = K>
  requires requires(P& primitive, Given&& key) {
    primitive.handle(std::forward<Given>(key)).lock_shared();
  }
  [[nodiscard]] auto lock_shared(Given&& key) {
    return shared_guard_of(std::forward<Given>(key), kForGood);
  }
  template <class Given = K>
  requires requires(P& primitive, Given&& key) {
    primitive.handle(std::forward<Given>(key)).lock_shared();
  }
  [[nodiscard]] auto try_lock_shared(Given&& key) {
    return shared_guard_of(std::forward<Given>(key), kOnce);
  }
  template <class Given = K, class Timeout>
  requires requires(P& primitive, Given&& key) {
    primitive.handle(std::forward<Given>(key)).lock_shared();
  }
  [[nodiscard]] auto try_lock_shared_for(Given&& key, const Timeout& timeout) {
    return shared_guard_of(std::forward<Given>(key),
                           [&timeout](auto& handle) { return handle.try_lock_for(timeout); });
  }
#if LOCKBENCH_HAS_STOP_TOKEN
  template <class Given = K>
  requires requires(P& primitive, Given&& key, const platform::StopToken& stop) {
    primitive.handle(std::forward<Given>(key)).lock_shared(stop);
  }
  [[nodiscard]] auto lock_shared(Given&& key, const platform::StopToken& stop) {
    return shared_guard_of(std::forward<Given>(key),
                           [&stop](auto& handle) { return handle.lock(stop); });
  }
#endif

  // All keys of a span or another range, which may contain equal keys, in an order that cannot
  // deadlock with other threads that take several keys by lock_all() or handle_both().
  template <KeyRange Keys>
  [[nodiscard]] auto lock_all(Keys&& keys) {
    return guard_of_all(keys, kForGood);
  }
  template <KeyRange Keys>
  [[nodiscard]] auto try_lock_all(Keys&& keys) {
    return guard_of_all(keys, kOnce);
  }
  // `timeout` is for all of them together.
  template <KeyRange Keys, class Timeout>
  [[nodiscard]] auto try_lock_all_for(Keys&& keys, const Timeout& timeout) {
    return guard_of_all(keys, [&timeout](auto& handles) { return handles.try_lock_for(timeout); });
  }

#if LOCKBENCH_HAS_STOP_TOKEN
  // Holds nothing if a stop was requested while one of the keys was waited for.
  template <KeyRange Keys>
  requires StopsForAll<P, Keys>
  [[nodiscard]] auto lock_all(Keys&& keys, const platform::StopToken& stop) {
    return guard_of_all(keys, [&stop](auto& handles) { return handles.lock(stop); });
  }
  template <class Given = K>
  requires StopsForAll<P, std::initializer_list<Given>>
  [[nodiscard]] auto lock_all(std::initializer_list<Given> keys, const platform::StopToken& stop) {
    return guard_of_all(keys, [&stop](auto& handles) { return handles.lock(stop); });
  }
#endif

  [[nodiscard]] auto lock_all(std::initializer_list<K> keys) {
    return guard_of_all(keys, kForGood);
  }
  [[nodiscard]] auto try_lock_all(std::initializer_list<K> keys) {
    return guard_of_all(keys, kOnce);
  }
  template <class Timeout>
  [[nodiscard]] auto try_lock_all_for(std::initializer_list<K> keys, const Timeout& timeout) {
    return guard_of_all(keys, [&timeout](auto& handles) { return handles.try_lock_for(timeout); });
  }

 private:
  static constexpr auto kForGood = [](auto& handle) {
    handle.lock();
    return true;
  };
  static constexpr auto kOnce = [](auto& handle) { return handle.try_lock(); };

  P& self() {
    return static_cast<P&>(*this);
  }

  template <class Given, class Take>
  auto guard_of(Given&& key, const Take& take) {
    const auto make = [&] { return self().handle(std::forward<Given>(key)); };
    return KeyGuard<decltype(make())>(make, take);
  }

  template <class Given, class Take>
  auto shared_guard_of(Given&& key, const Take& take) {
    const auto make = [&] { return self().handle(std::forward<Given>(key)); };
    using Hold = SharedHold<decltype(make())>;
    return KeyGuard<Hold>([&make] { return Hold(make); }, take);
  }

  template <class Keys, class Take>
  auto guard_of_all(Keys& keys, const Take& take) {
    const auto make = [&] { return self().handle_all(keys); };
    return KeyGuard<decltype(make())>(make, take);
  }
};

}  // namespace internal
}  // namespace lockbench
