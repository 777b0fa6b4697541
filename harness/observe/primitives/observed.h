// SPDX-License-Identifier: Apache-2.0

// Observed: a lock whose use `lockbench observe` records, although it is not of the pthread
// library: a spin lock, a lock made of futexes, one of these headers. docs/observe.md has the
// commands.
//
//   lockbench::Observed<lockbench::AdaptiveMutex> mutex;      // Lockable, as what it has inside
//   lockbench::ObservedKeys<lockbench::KeyedMutex<>> users;   // auto guard = users.lock(42);
//
// Guarantees   the lock's own lock(), try_lock(), unlock() and handles, as without it; and where
//              the program runs under `lockbench observe`, counts and times as of a mutex of the
//              pthread library, at the place of the call. The mutexes, conditions and futexes
//              that the lock is made of are parts of it: a wait for one is a wait for the lock.
// Not offered  shared holds and timed members: leave those of your lock unobserved.
//              Two keys with one 62-bit hash count as one lock.
// Requires     Linux and a dynamically linked program: else nothing is recorded.
// Cost         while nobody observes: a load. A key's hash is computed once more.
#pragma once

#include <cstdint>
#include <utility>

#include "harness/observe/primitives/internal/observer.h"
#include "harness/observe/primitives/platform/symbol.h"
#include "primitives/key.h"
#include "primitives/key_guard.h"

namespace lockbench {
namespace internal {

// Null if nobody observes, and in constructors of other files that run before this one's.
inline const Observer* const the_observer =
    static_cast<const Observer*>(platform::find_symbol("lockbench_observer"));

// While it exists, what the thread waits for is the lock, whatever that is made of. It also ends
// with an exception.
class InsideObserved {
 public:
  explicit InsideObserved(const void* id) { the_observer->enters(id); }
  InsideObserved(const InsideObserved&) = delete;
  InsideObserved& operator=(const InsideObserved&) = delete;
  ~InsideObserved() { the_observer->leaves(); }
};

// `id` is the lock to the observer. Not inlined: the place is the caller.
template <class Lock>
[[gnu::noinline]] void lock_observed(Lock& lock, const void* id) {
  const void* const caller = __builtin_return_address(0);
  const InsideObserved inside(id);
  if (lock.try_lock()) {
    the_observer->acquired(id, caller);
    return;
  }
  const Observer::Wait wait = the_observer->wait_begins(id, caller);
  lock.lock();
  the_observer->wait_ends(id, caller, wait);
}

template <class Lock>
[[gnu::noinline]] bool try_lock_observed(Lock& lock, const void* id) {
  const InsideObserved inside(id);
  const bool acquired = lock.try_lock();
  if (acquired) {
    the_observer->acquired(id, __builtin_return_address(0));
  } else {
    the_observer->try_failed(id);
  }
  return acquired;
}

// A Lockable that is known to the observer as `id()` of the derived class.
template <class Derived>
class ObservedMembers {
 public:
  [[gnu::always_inline]] void lock() {
    if (the_observer == nullptr) return self().inner().lock();
    lock_observed(self().inner(), self().id());
  }

  [[gnu::always_inline]] bool try_lock() {
    if (the_observer == nullptr) return self().inner().try_lock();
    return try_lock_observed(self().inner(), self().id());
  }

  auto unlock() {
    if (the_observer == nullptr) return self().inner().unlock();
    const InsideObserved inside(self().id());
    the_observer->released(self().id());
    return self().inner().unlock();
  }

 private:
  Derived& self() { return static_cast<Derived&>(*this); }
};

}  // namespace internal

template <class Mutex>
class Observed : public internal::ObservedMembers<Observed<Mutex>> {
 public:
  template <class... Arguments>
  explicit Observed(Arguments&&... arguments) : mutex_(std::forward<Arguments>(arguments)...) {}
  Observed(const Observed&) = delete;
  Observed& operator=(const Observed&) = delete;
  ~Observed() {
    if (internal::the_observer != nullptr) internal::the_observer->ended(this);
  }

  Mutex& inner() { return mutex_; }
  const void* id() const { return this; }

 private:
  Mutex mutex_;
};

// `Keyed` has handle(key); each key is a lock of its own to the observer.
template <class Keyed, class K = std::uint64_t, class Hash = DefaultKeyHash<K>>
class ObservedKeys : public internal::GuardMembers<ObservedKeys<Keyed, K, Hash>, K> {
 public:
  class Handle;

  template <class... Arguments>
  explicit ObservedKeys(Arguments&&... arguments) : keyed_(std::forward<Arguments>(arguments)...) {}

  Handle handle(K key) { return Handle(*this, std::move(key)); }

 private:
  Keyed keyed_;
};

template <class Keyed, class K, class Hash>
class ObservedKeys<Keyed, K, Hash>::Handle : public internal::ObservedMembers<Handle> {
 public:
  Handle(ObservedKeys& owner, K key)
      : id_(id_of(owner, Hash{}(key))), handle_(owner.keyed_.handle(std::move(key))) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  auto& inner() { return handle_; }
  const void* id() const { return reinterpret_cast<const void*>(id_); }

 private:
  // Even, and in the upper half of all addresses, where no object is.
  static std::uintptr_t id_of(const ObservedKeys& owner, std::uint64_t hash) {
    const std::uint64_t mixed = (hash ^ reinterpret_cast<std::uintptr_t>(&owner)) * internal::kOddB;
    return static_cast<std::uintptr_t>(mixed << 1 | std::uint64_t{1} << 63);
  }

  std::uintptr_t id_;
  decltype(std::declval<Keyed&>().handle(std::declval<K>())) handle_;
};

}  // namespace lockbench
