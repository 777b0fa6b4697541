// SPDX-License-Identifier: Apache-2.0

// BiasedRecursiveMutex: a recursive mutex that costs a thread that uses it alone a few plain loads
// and stores, until another thread comes.
//
// At first every thread locks `base_`. A thread that was alone there for a while gets the bias:
// from then on it enters by counting in inside_, and checks whether it still has the bias. The
// first other thread that comes locks `base_`, revokes the bias, has the kernel put a barrier into
// every running thread, and waits until the biased thread has left. The bias does not come back: so
// no stale owner can mistake the depth of another owner for its own.
//
// Guarantees   mutual exclusion between threads; the owner locks again without waiting; try_lock()
//              never fails spuriously, and does not wait for a biased owner; timed acquisition.
// Not offered  FIFO order, unlock by another thread, priority inheritance, more than kMaxDepth
//              nested locks. It must not be destroyed before unlock() has returned in every thread:
//              a release reads the lock afterwards.
// Requires     unlock() on the locking thread, once per lock(). If a thread ends while it holds the
//              lock, the lock stays held for ever.
// fork()       not while a thread holds or waits for the lock, if the child uses it. A bias to
//              another thread than the one that called fork() can be revoked by the child: that
//              thread is then found outside.
// Cost         no atomic read-modify-write for the biased thread; about 2 us, once, for the thread
//              that revokes; after that as RecursiveMutex<Base>. Without membarrier as that from
//              the start.
//
// Invariants
//   I1  bias_ is set once, by the thread named, which holds base_, and cleared once, by another
//       that holds it. candidate_ is that thread from then on.
//   I2  inside_ is written by the biased thread alone; it counts its locks that did not go through
//       base_. Where it is not 0 and phase_ is kBiased or kLeaving, that thread is inside.
//   I3  phase_ only grows, and only the thread that holds base_ changes it.
//   I4  a thread that is inside by base_ has, since it took base_, seen phase_ be kOpen or
//   kRevoked, or
//       made it so, or is the biased thread.
//   docs/design/reentrant.md has the argument.
// Source       K. Kawachiya, A. Koseki, T. Onodera, "Lock reservation: Java locks can mostly do
//              without atomic operations", 2002; the revocation by a barrier and the verdict that
//              keeps try_lock() exact are ours.
#pragma once

#include <cstdint>

#include "primitives/internal/asymmetry.h"
#include "primitives/internal/misuse.h"
#include "primitives/internal/timed.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/futex.h"
#include "primitives/platform/spin.h"
#include "primitives/platform/thread.h"
#include "primitives/recursive_mutex.h"

namespace lockbench {

template <class Base, class Barriers = internal::KernelBarriers>
class BiasedRecursiveMutex : public internal::TimedMembers<BiasedRecursiveMutex<Base, Barriers>> {
 public:
  static constexpr std::uint32_t kMaxDepth = RecursiveMutex<Base>::kMaxDepth;

  BiasedRecursiveMutex() = default;
  BiasedRecursiveMutex(const BiasedRecursiveMutex&) = delete;
  BiasedRecursiveMutex& operator=(const BiasedRecursiveMutex&) = delete;
#if LOCKBENCH_CHECKS_USE
  ~BiasedRecursiveMutex() {
    internal::check_use([this] { return inside_.load(std::memory_order_relaxed) == 0; },
                        "BiasedRecursiveMutex: destroyed while it is held");
  }
#endif

  // The path of the biased thread is always inlined: a call would cost as much as the path itself.

  // Throws std::system_error(resource_unavailable_try_again) at kMaxDepth, as
  // std::recursive_mutex may.
  [[gnu::always_inline]] void lock() {
    const Entry entry = enter();
    if (entry == Entry::kInside) [[likely]]
      return;
    if (entry == Entry::kTooDeep) internal::throw_too_deep();
    base_.lock();
    if (!settled()) [[unlikely]]
      arrive(platform::kForever);
  }

  // Returns false when another thread is inside, or at kMaxDepth.
  [[gnu::always_inline]] bool try_lock() {
    const Entry entry = enter();
    if (entry != Entry::kByBase) [[likely]]
      return entry == Entry::kInside;
    return base_.try_lock() && (settled() || arrive(kAtOnce));
  }

  bool lock_before(platform::Time deadline) {
    const Entry entry = enter();
    if (entry != Entry::kByBase) return entry == Entry::kInside;
    return base_.lock_before(deadline) && (settled() || arrive(deadline));
  }

  [[gnu::always_inline]] void unlock() {
    const platform::ThreadToken self = platform::this_thread();
    // relaxed, only this thread writes it if the bias is its own (I2); else it is not used.
    const std::uint32_t depth = inside_.load(std::memory_order_relaxed);
    if (depth == 0 || bias_.load(std::memory_order_relaxed) != self) [[unlikely]] {
      unlock_otherwise(self, depth);
      return;
    }
    // (2) release: publishes the critical section to (1).
    inside_.store(depth - 1, std::memory_order_release);
    if (depth != 1) return;
    Barriers::light();
    // relaxed: the barriers order it with the store above: either this sees that the bias was
    // taken away, or the revoker sees that it is free.
    if (bias_.load(std::memory_order_relaxed) != self) [[unlikely]] {
      platform::futex_wake(inside_, 1);
    }
  }

 private:
  enum Phase : std::uint32_t {
    // 0 all go through base_ | 1 the biased thread need not | 2 base_'s holder asks whether it is
    // inside | 3 it is: base_'s holder waits | 4 as 0, for ever
    kOpen = 0,
    kBiased = 1,
    kAsked = 2,
    kLeaving = 3,
    kRevoked = 4,
  };

  static constexpr platform::Time kAtOnce{};

  enum class Entry { kInside, kByBase, kTooDeep };

  // First locks in a row by one thread, through base_, that earn it the bias.
  static constexpr std::uint32_t kRun = platform::spins(16);

  [[gnu::always_inline]] Entry enter() {
    const platform::ThreadToken self = platform::this_thread();
    // relaxed: equality with this thread's token can only come from its own store (I1).
    if (bias_.load(std::memory_order_relaxed) != self) [[unlikely]]
      return enter_otherwise(self);
    // relaxed: only this thread writes it (I2).
    const std::uint32_t depth = inside_.load(std::memory_order_relaxed);
    if (depth != 0) [[unlikely]]
      return enter_again(depth);
    inside_.store(1, std::memory_order_relaxed);  // relaxed: the barriers order it with the load
    Barriers::light();
    if (bias_.load(std::memory_order_relaxed) == self) [[likely]]
      return Entry::kInside;
    return await_verdict() ? Entry::kInside : Entry::kByBase;
  }

  [[gnu::always_inline]] Entry enter_again(std::uint32_t depth) {
    if (depth == kMaxDepth) [[unlikely]]
      return Entry::kTooDeep;
    inside_.store(depth + 1, std::memory_order_relaxed);  // relaxed: others ask only for 0 (I2)
    return Entry::kInside;
  }

  // Without the bias: by base_, but for the thread that lost it while inside.
  Entry enter_otherwise(platform::ThreadToken self) {
    const std::uint32_t depth = inside_.load(std::memory_order_relaxed);
    return depth != 0 && lost_the_bias(self) ? enter_again(depth) : Entry::kByBase;
  }

  void unlock_otherwise(platform::ThreadToken self, std::uint32_t depth) {
    if (depth == 0 || !lost_the_bias(self)) {
      base_.unlock();
      return;
    }
    inside_.store(depth - 1, std::memory_order_release);  // (2)
    if (depth == 1) platform::futex_wake(inside_, 1);
  }

  bool lost_the_bias(platform::ThreadToken self) const {
    return candidate_.load(std::memory_order_relaxed) == self;  // relaxed: as bias_ (I1)
  }

  // The bias was revoked while this thread came in. What the revoker saw decides: true if it saw
  // this thread inside.
  [[gnu::noinline, gnu::cold]] bool await_verdict() {
    // acquire: synchronizes with (3): the phase is kAsked, or what came of it. Otherwise relaxed:
    // the verdict is about this thread's own store. What was done inside was done by it.
    bias_.load(std::memory_order_acquire);
    std::uint32_t phase = phase_.load(std::memory_order_relaxed);
    while (phase == kAsked) {
      platform::futex_wait(phase_, kAsked);
      phase = phase_.load(std::memory_order_relaxed);
    }
    if (phase == kLeaving) return true;
    // relaxed: the revoker saw 0, and no thread asks again (I3).
    inside_.store(0, std::memory_order_relaxed);
    return false;
  }

  // True if base_ alone decides which thread is inside. Only the holder of base_ calls this.
  bool settled() const {
    // relaxed: base_ orders it (I3).
    return phase_.load(std::memory_order_relaxed) == kRevoked;
  }

  // Has taken base_, in a phase that will change. Returns whether it may stay; if not, gives base_
  // back.
  [[gnu::noinline, gnu::cold]] bool arrive(platform::Time deadline) {
    const std::uint32_t phase = phase_.load(std::memory_order_relaxed);  // relaxed: base_ orders it
    if (phase == kOpen) {
      count_run();
      return true;
    }
    // relaxed: it is set before phase_, under base_.
    if (candidate_.load(std::memory_order_relaxed) == platform::this_thread()) return true;
    if (phase == kBiased) revoke();
    if (left_before(deadline)) return true;
    base_.unlock();
    return false;
  }

  // Gives the bias to a thread that was alone for a while.
  void count_run() {
    const platform::ThreadToken self = platform::this_thread();
    // relaxed: base_ orders it; without base_, a thread only compares it with its own token.
    run_ = candidate_.load(std::memory_order_relaxed) == self ? run_ + 1 : 1;
    candidate_.store(self, std::memory_order_relaxed);
    if (run_ < kRun) return;
    if (Barriers::available()) {
      // relaxed: others look at both only after they took base_; this thread knows.
      bias_.store(self, std::memory_order_relaxed);
      phase_.store(kBiased, std::memory_order_relaxed);
    } else {
      phase_.store(kRevoked, std::memory_order_relaxed);
    }
  }

  void revoke() {
    phase_.store(kAsked, std::memory_order_relaxed);              // relaxed: (3) publishes it
    bias_.store(platform::kNoThread, std::memory_order_release);  // (3)
    Barriers::heavy();
    // One load decides. If the biased thread comes in after it, that will see that
    // the bias is gone, and wait for the verdict. (1) acquire: synchronizes with (2).
    const bool inside = inside_.load(std::memory_order_acquire) != 0;
    // relaxed: the verdict carries nothing but itself.
    phase_.store(inside ? kLeaving : kRevoked, std::memory_order_relaxed);
    platform::futex_wake(phase_, 1);
  }

  // Waits until the biased thread has left and cannot enter again.
  bool left_before(platform::Time deadline) {
    if (settled()) return true;
    for (;;) {
      // acquire: as (1).
      const std::uint32_t depth = inside_.load(std::memory_order_acquire);
      if (depth == 0) break;
      if (deadline == kAtOnce) return false;
      if (!platform::futex_wait(inside_, depth, deadline)) deadline = kAtOnce;
    }
    phase_.store(kRevoked, std::memory_order_relaxed);  // relaxed: base_ orders it
    return true;
  }

  platform::Atomic<platform::ThreadToken> bias_{platform::kNoThread};
  platform::FutexWord inside_{0};
  platform::FutexWord phase_{kOpen};
  // The thread that took base_ last while kOpen; from kBiased on, the one that has or had the bias.
  platform::Atomic<platform::ThreadToken> candidate_{platform::kNoThread};
  RecursiveMutex<Base> base_;
  std::uint32_t run_ = 0;  // of count_run(), guarded by base_
};

}  // namespace lockbench
