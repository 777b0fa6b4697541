// SPDX-License-Identifier: Apache-2.0

// KeyScope and Namespaced: names for keys of one primitive that cannot collide with another
// scope's.
//
//   lockbench::KeyedMutex<std::string_view> locks;
//   lockbench::KeyScope invoices(locks, "invoices");       // by name, at run time
//   auto handle = invoices.scope("2024").handle(42);
//
//   struct Orders;
//   lockbench::Namespaced<Orders, decltype(locks)> orders(locks);  // by type, at compile time
//
// Guarantees   two keys are one exactly when their scopes are the same, from the primitive inwards,
//              and their parts are equal: whatever the names hold, ("job_", "1_2") and ("job_1_",
//              "2") are two. A Namespaced is no other type's, and no named scope's.
// Not offered  scopes over primitives that hash string keys to fewer locks know no more of keys
//              than those do: different keys may share a lock there.
// Requires     the primitive outlives the scope, and the scope lives until its handles are made.
// fork()       as the primitive.
// Cost         KeyText's for each handle: no allocation while scope and key fit into it.
#pragma once

#include <cstdint>
#include <string_view>

#include "primitives/concepts.h"
#include "primitives/key_text.h"

namespace lockbench {

// Any primitive's handle, with the characters of its key.
template <class P>
class ScopedHandle {
 public:
  template <class... Parts>
  ScopedHandle(P& primitive, const KeyText& scope, const Parts&... parts)
      : text_(in(scope, parts...)), inner_(primitive.handle(text_.view())) {}
  ScopedHandle(const ScopedHandle&) = delete;
  ScopedHandle& operator=(const ScopedHandle&) = delete;

  void lock() { inner_.lock(); }
  bool try_lock() { return inner_.try_lock(); }
  auto unlock() { return inner_.unlock(); }

  template <class Timeout>
  bool try_lock_for(const Timeout& timeout) requires TimedLockable<HandleOf<P, std::string_view>> {
    return inner_.try_lock_for(timeout);
  }

  template <class Deadline>
  bool try_lock_until(const Deadline& deadline) requires
      TimedLockable<HandleOf<P, std::string_view>> {
    return inner_.try_lock_until(deadline);
  }

  // The primitive's handle, for its other members, for example a token.
  const HandleOf<P, std::string_view>& inner() const { return inner_; }

 private:
  // The text lies in text_ itself: it neither copies nor moves.
  struct In : KeyText {
    template <class... Parts>
    explicit In(const KeyText& scope, const Parts&... parts) {
      add_all_of(scope);
      add_mark();  // the key ("a", "b") is not the key "b" of the scope "a"
      (add(parts), ...);
    }
  };

  template <class... Parts>
  static In in(const KeyText& scope, const Parts&... parts) {
    return In(scope, parts...);
  }

  const In text_;
  HandleOf<P, std::string_view> inner_;
};

template <KeyedLock<std::string_view> P>
class KeyScope {
 public:
  using Handle = ScopedHandle<P>;

  KeyScope(P& primitive, std::string_view name) : primitive_(primitive) { prefix_.add(name); }
  KeyScope(const KeyScope&) = delete;
  KeyScope& operator=(const KeyScope&) = delete;

  // A scope within this one: none outside it has its keys.
  KeyScope scope(std::string_view name) const { return KeyScope(*this, name); }

  // A key of one part or several: strings, AnyCase or integers.
  template <class... Parts>
  Handle handle(const Parts&... parts) const {
    static_assert(sizeof...(Parts) != 0, "a key has at least one part");
    return Handle(primitive_, prefix_, parts...);
  }

 protected:
  // An object that exists once.
  struct Identity {
    const void* object;
  };

  KeyScope(P& primitive, Identity identity) : primitive_(primitive) {
    prefix_.add_identity(identity.object);
  }

 private:
  KeyScope(const KeyScope& outer, std::string_view name) : primitive_(outer.primitive_) {
    prefix_.add_all_of(outer.prefix_);
    prefix_.add(name);
  }

  P& primitive_;
  KeyText prefix_;
};

// The scope that belongs to the type `Tag`, which need not be complete.
template <class Tag, KeyedLock<std::string_view> P>
class Namespaced : public KeyScope<P> {
 public:
  explicit Namespaced(P& primitive)
      : KeyScope<P>(primitive, typename KeyScope<P>::Identity{&kIdentity}) {}

 private:
  static inline const char kIdentity = 0;
};

}  // namespace lockbench
