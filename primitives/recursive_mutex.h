// SPDX-License-Identifier: Apache-2.0

// RecursiveMutex: a recursive mutex over one that is not.
//
// Guarantees   mutual exclusion between threads; the owner locks again without waiting and without
//              an atomic read-modify-write; try_lock() never fails spuriously; timed acquisition.
// Not offered  unlock by another thread, more than kMaxDepth nested locks; for the rest see `Base`.
// Requires     unlock() on the locking thread, once per lock(). If a thread ends while it holds the
//              lock, the lock stays held for ever.
// fork()       not while a thread holds or waits for the lock, if the child uses it.
// Cost         a first lock and its unlock: the base lock's, two stores and a load; a nested pair:
//              two loads, an increment and a decrement.
//
// Invariants
//   I1  owner_ is kNoThread or the token of the one thread inside.
//   I2  only thread T ever stores T's token, and T clears it before it gives up base_; so a thread
//       that reads its own token is the owner, and one that is not the owner never reads its own.
//   I3  depth_ is read and written only by the owner; it counts the locks beyond the first.
#pragma once

#include <cstdint>
#include <limits>
#include <system_error>

#include "primitives/internal/misuse.h"
#include "primitives/internal/timed.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/failure.h"
#include "primitives/platform/thread.h"

namespace lockbench {

namespace internal {

[[noreturn, gnu::noinline, gnu::cold]] inline void throw_too_deep() {
  platform::throw_error(
      std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again),
                        "a recursive mutex is locked 4294967296 times by one thread"));
}

}  // namespace internal

// `Base` has lock(), try_lock(), lock_before() and unlock().
template <class Base>
class RecursiveMutex : public internal::TimedMembers<RecursiveMutex<Base>> {
 public:
  static constexpr std::uint32_t kMaxDepth = std::numeric_limits<std::uint32_t>::max();

  // Throws std::system_error(resource_unavailable_try_again) at kMaxDepth, as
  // std::recursive_mutex may.
  void lock() {
    const platform::ThreadToken self = platform::this_thread();
    if (owned_by(self)) {
      if (depth_ == kMaxDepth) internal::throw_too_deep();
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
    internal::check_use([this] { return owned_by(platform::this_thread()); },
                        "RecursiveMutex: unlock() by a thread that is not the owner");
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

  Base base_;
  std::uint32_t depth_ = 0;  // I3
  platform::Atomic<platform::ThreadToken> owner_{platform::kNoThread};
};

}  // namespace lockbench
