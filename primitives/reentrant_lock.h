// ReentrantLock: one lock for all keys, which its owner may take again and again.
//
// Guarantees   mutual exclusion between threads; the owner locks again without waiting and without
//              an atomic read-modify-write; try_lock() never fails spuriously.
// Not offered  FIFO order, unlock by another thread, priority inheritance, use across fork() while
//              held, more than kMaxDepth nested locks.
// Requires     unlock() on the locking thread, once per lock().
// Cost         a first lock and its unlock: the base lock's, two stores and a load; a nested pair:
//              two loads, an increment and a decrement.
//
// Invariants
//   I1  owner_ is kNoThread or the token of the one thread inside.
//   I2  only thread T ever stores T's token, and T clears it before it gives up base_; so a thread
//       that reads its own token is the owner, and one that is not the owner never reads its own.
//   I3  depth_ is read and written only by the owner; it counts the locks beyond the first.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <system_error>

#include "primitives/concepts.h"
#include "primitives/futex_mutex.h"
#include "primitives/internal/claim.h"
#include "primitives/internal/timed.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/layout.h"
#include "primitives/platform/thread.h"

namespace lockbench {

// One recursive mutex over one that is not. Lockable and TimedLockable by itself; `Base` has
// lock(), try_lock(), lock_before() and unlock().
template <class Base>
class RecursiveMutex : public internal::TimedMembers<RecursiveMutex<Base>> {
 public:
  static constexpr std::uint32_t kMaxDepth = std::numeric_limits<std::uint32_t>::max();

  // Throws std::system_error(resource_unavailable_try_again) at kMaxDepth, as
  // std::recursive_mutex may.
  void lock() {
    const platform::ThreadToken self = platform::this_thread();
    if (owned_by(self)) {
      if (depth_ == kMaxDepth) throw_too_deep();
      ++depth_;
      return;
    }
    base_.lock();
    become_owner(self);
  }

  // Returns false when another thread is inside, or at kMaxDepth.
  bool try_lock() {
    const platform::ThreadToken self = platform::this_thread();
    if (owned_by(self)) return deepen();
    if (!base_.try_lock()) return false;
    become_owner(self);
    return true;
  }

  bool lock_before(platform::Time deadline) {
    const platform::ThreadToken self = platform::this_thread();
    if (owned_by(self)) return deepen();
    if (!base_.lock_before(deadline)) return false;
    become_owner(self);
    return true;
  }

  void unlock() {
    assert(owned_by(platform::this_thread()) && "unlock() by a thread that is not the owner");
    if (depth_ != 0) {
      --depth_;
      return;
    }
    // relaxed: base_ orders it before the next owner's store; others read only for their own token,
    // which this is not (I2).
    owner_.store(platform::kNoThread, std::memory_order_relaxed);
    base_.unlock();
  }

 private:
  bool owned_by(platform::ThreadToken self) const {
    // relaxed: equality with `self` can only be this thread's own store (I2); any other value says
    // only "not yours", which stays true until this thread itself changes it.
    return owner_.load(std::memory_order_relaxed) == self;
  }

  void become_owner(platform::ThreadToken self) {
    owner_.store(self, std::memory_order_relaxed);  // relaxed: see owned_by()
  }

  bool deepen() {
    if (depth_ == kMaxDepth) return false;
    ++depth_;
    return true;
  }

  [[noreturn, gnu::noinline, gnu::cold]] static void throw_too_deep() {
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again),
                            "RecursiveMutex is locked 4294967296 times by one thread");
  }

  Base base_;
  std::uint32_t depth_ = 0;  // I3
  platform::Atomic<platform::ThreadToken> owner_{platform::kNoThread};
};

using RecursiveFutexMutex = RecursiveMutex<FutexMutex>;

// `Recursive` is any recursive mutex, such as std::recursive_mutex.
template <Lockable Recursive = RecursiveFutexMutex>
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
