// SPDX-License-Identifier: Apache-2.0

// CountedLock: a futex lock that counts its sleepers beside its word; the faults access
// the two in the wrong order.
#pragma once

#include <cstdint>

#include "primitives/platform/atomic.h"
#include "primitives/platform/futex.h"

namespace lockbench::mutants {

enum class CountFault {
  kNone,
  kNoFence,      // the count may be read before the word's store is seen by others
  kChecksFirst,  // reads the count before it frees the word
  kWakesFirst,   // wakes a sleeper before it frees the word
};

template <CountFault kFault>
class CountedLock {
 public:
  void lock() {
    while (!try_lock()) {
      sleepers_.fetch_add(1, std::memory_order_seq_cst);
      platform::futex_wait(word_, 1);
      sleepers_.fetch_sub(1, std::memory_order_relaxed);
    }
  }

  bool try_lock() {
    std::uint32_t free = 0;
    return word_.compare_exchange_strong(free, 1, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }

  void unlock() {
    constexpr bool kFirst = kFault == CountFault::kChecksFirst || kFault == CountFault::kWakesFirst;
    const bool sleep = kFirst && some_sleep();
    if (kFault == CountFault::kWakesFirst && sleep) platform::futex_wake(word_, 1);
    word_.store(
        0, kFault == CountFault::kNoFence ? std::memory_order_release : std::memory_order_seq_cst);
    if (kFault == CountFault::kWakesFirst) return;
    if (kFirst ? sleep : some_sleep()) platform::futex_wake(word_, 1);
  }

 private:
  bool some_sleep() const { return sleepers_.load(std::memory_order_seq_cst) != 0; }

  platform::FutexWord word_{0};  // 0 free | 1 held
  platform::Atomic<std::uint32_t> sleepers_{0};
};

}  // namespace lockbench::mutants
