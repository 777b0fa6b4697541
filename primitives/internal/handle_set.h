// SPDX-License-Identifier: Apache-2.0

// HandleSet: any number of handles that are locked together, as one Lockable.
//
// Guarantees   lock() takes the handles in the order given and unlock() returns them in reverse; an
//              exception or a failed try leaves none taken.
// Requires     an order that all threads that take several handles follow: then no two of them
//              deadlock.
// Cost         `FixedHandles` lie within the set; `HeapHandles` are one allocation.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>

#include "primitives/concepts.h"
#include "primitives/internal/rollback.h"
#include "primitives/internal/timed.h"
#include "primitives/platform/clock.h"

namespace lockbench::internal {

// Room for at most kMostHandles handles, which neither copy nor move.
template <class H, std::size_t kMostHandles>
class FixedHandles {
 public:
  using Handle = H;

  explicit FixedHandles(std::size_t) {}
  std::optional<Handle>& operator[](std::size_t i) { return handles_[i]; }
  const std::optional<Handle>& operator[](std::size_t i) const { return handles_[i]; }

 private:
  std::array<std::optional<Handle>, kMostHandles> handles_;
};

// Room for the number of handles given.
template <class H>
class HeapHandles {
 public:
  using Handle = H;

  explicit HeapHandles(std::size_t seats) : handles_(new std::optional<Handle>[seats]) {}
  std::optional<Handle>& operator[](std::size_t i) { return handles_[i]; }
  const std::optional<Handle>& operator[](std::size_t i) const { return handles_[i]; }

 private:
  std::unique_ptr<std::optional<Handle>[]> handles_;
};

struct NotTimed {};

// The timed members of the set, if its handles have them.
template <class Array, class Set>
using TimedMembersOfSet =
    std::conditional_t<TimedLockable<typename Array::Handle>, TimedMembers<Set>, NotTimed>;

template <class Array>
class HandleSet : public TimedMembersOfSet<Array, HandleSet<Array>> {
 public:
  // `target_of(i)` is what the handle number i, below `size`, is made from.
  template <class TargetOf>
  HandleSet(std::size_t size, const TargetOf& target_of) : size_(size), handles_(size) {
    for (std::size_t i = 0; i < size; ++i) handles_[i].emplace(target_of(i));
  }

  HandleSet(const HandleSet&) = delete;
  HandleSet& operator=(const HandleSet&) = delete;

  void lock() {
    take_all([](Handle& handle) {
      handle.lock();
      return true;
    });
  }

  bool try_lock() {
    return take_all([](Handle& handle) { return handle.try_lock(); });
  }

  // `deadline` is for all of them together.
  bool lock_before(platform::Time deadline) requires TimedLockable<typename Array::Handle> {
    return take_all([&](Handle& handle) { return handle.try_lock_until(deadline); });
  }

  // `stop`: a platform::StopToken. False if a stop was requested while one of them was waited for.
  template <class Stop>
  [[nodiscard]] bool lock(const Stop& stop) requires requires(typename Array::Handle& handle) {
    handle.lock(stop);
  }
  {
    return take_all([&](Handle& handle) { return handle.lock(stop); });
  }

  // False if one of the handles says that it had lost its key.
  bool unlock() { return give_back(size_); }

  // The handle number i, below size(), in the order in which they are taken.
  const typename Array::Handle& operator[](std::size_t i) const { return *handles_[i]; }

  // Locks that are taken: two keys that share one count once.
  std::size_t size() const { return size_; }

 private:
  using Handle = typename Array::Handle;

  // All, or none if take(handle) returned false or threw.
  template <class Take>
  bool take_all(const Take& take) {
    std::size_t taken = 0;
    Rollback all_taken([this, &taken] { give_back(taken); });
    for (; taken < size_; ++taken) {
      if (!take(*handles_[taken])) return false;
    }
    all_taken.complete();
    return true;
  }

  bool give_back(std::size_t taken) {
    bool had_all = true;
    while (taken > 0) {
      auto& handle = *handles_[--taken];
      if constexpr (std::is_same_v<decltype(handle.unlock()), bool>) {
        had_all &= handle.unlock();
      } else {
        handle.unlock();
      }
    }
    return had_all;
  }

  const std::size_t size_;
  Array handles_;
};

}  // namespace lockbench::internal
