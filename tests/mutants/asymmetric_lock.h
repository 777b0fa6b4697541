/* SPDX-License-Identifier: Apache-2.0 */

// AsymmetricLock: the first thread that uses it acquires it by a store and a load; the other
// threads issue a barrier on its behalf. The fault leaves the barrier out.
//
// Source  after the flags of E. W. Dijkstra's first exercise and D. Dice, H. Huang, M. Yang,
//         "Asymmetric Dekker Synchronization", 2001.
#pragma once

#include <cstdint>
#include <mutex>

#include "primitives/platform/atomic.h"
#include "primitives/platform/barrier.h"
#include "primitives/platform/mutex.h"
#include "primitives/platform/spin.h"
#include "primitives/platform/thread.h"

namespace lockbench::mutants {

enum class AsymmetricFault {
  kNone,
  kNoBarrier,  // the others do not make the owner's store visible before they look for it
};

template <AsymmetricFault kFault>
class AsymmetricLock {
 public:
  void lock() {
    if (is_owner()) {
      enter_as_owner();
      return;
    }
    others_.lock();
    ask();
    while (inside_.load(std::memory_order_acquire) != 0) platform::pause();
  }

  bool try_lock() {
    if (is_owner()) {
      inside_.store(1, std::memory_order_relaxed);
      platform::light_barrier();
      if (asked_.load(std::memory_order_acquire) == 0) return true;
      inside_.store(0, std::memory_order_release);
      return false;
    }
    if (!others_.try_lock()) return false;
    ask();
    if (inside_.load(std::memory_order_acquire) == 0) return true;
    unlock();
    return false;
  }

  void unlock() {
    if (is_owner()) {
      inside_.store(0, std::memory_order_release);
    } else {
      asked_.store(0, std::memory_order_release);
      others_.unlock();
    }
  }

 private:
  bool is_owner() {
    platform::ThreadToken seen = platform::kNoThread;
    const platform::ThreadToken self = platform::this_thread();
    return owner_.compare_exchange_strong(seen, self, std::memory_order_relaxed) || seen == self;
  }

  void enter_as_owner() {
    for (;;) {
      inside_.store(1, std::memory_order_relaxed);
      platform::light_barrier();
      if (asked_.load(std::memory_order_acquire) == 0) return;
      inside_.store(0, std::memory_order_release);
      while (asked_.load(std::memory_order_relaxed) != 0) platform::pause();
    }
  }

  void ask() {
    asked_.store(1, std::memory_order_relaxed);
    if constexpr (kFault != AsymmetricFault::kNoBarrier) platform::heavy_barrier();
  }

  platform::Mutex others_;
  platform::Atomic<platform::ThreadToken> owner_{platform::kNoThread};
  platform::Atomic<std::uint32_t> inside_{0};
  platform::Atomic<std::uint32_t> asked_{0};
};

}  // namespace lockbench::mutants
