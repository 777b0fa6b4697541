// SPDX-License-Identifier: Apache-2.0

// ReentrantLock: one lock for all keys, which its owner may take again and again.
//
// Guarantees   mutual exclusion between threads; the owner locks again without waiting; what the
//              recursive mutex promises. With our recursive mutexes, no thread is taken for an
//              owner that ended: platform/thread.h.
// Not offered  unlock by another thread; recovery from an owner that ends: the others wait for
// ever. Requires     unlock() on the locking thread, once per lock(). fork()       not while a
// thread holds or waits for the lock, if the child uses it. Cost         the recursive mutex's own;
// see biased_recursive_mutex.h for the usual one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "primitives/adaptive_mutex.h"
#include "primitives/biased_recursive_mutex.h"
#include "primitives/concepts.h"
#include "primitives/internal/claim.h"
#include "primitives/platform/layout.h"

namespace lockbench {

// `Recursive` is any recursive mutex, for example std::recursive_mutex.
template <Lockable Recursive = BiasedRecursiveMutex<AdaptiveMutex>>
class ReentrantLock {
 public:
  static constexpr Promises kPromises{.reentrant = true, .timed = TimedLockable<Recursive>};

  using Handle = internal::Claim<Recursive>;

  Handle handle(std::uint64_t) { return Handle(mutex_); }
  Handle handle(std::string_view) { return Handle(mutex_); }

  // Both keys have the one lock.
  template <Key K>
  Handle handle_both(K, K) {
    return Handle(mutex_);
  }

  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this; }

 private:
  alignas(platform::kCacheLine) Recursive mutex_;
};

}  // namespace lockbench
