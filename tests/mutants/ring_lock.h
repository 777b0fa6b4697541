// SPDX-License-Identifier: Apache-2.0

// RingLock: each waiter polls a slot of a ring, and a release opens the next slot. Broken for more
// threads than it has slots: two of them poll one.
//
// Source: T. E. Anderson, "The Performance of Spin Lock Alternatives for Shared-Memory
// Multiprocessors", 1990.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "harness/stress/lock_promises.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/spin.h"

namespace lockbench::mutants {

// kThreads: what it promises to have room for; 0: any number.
template <std::size_t kSlots, std::uint32_t kThreads = 0>
class RingLock {
 public:
  static constexpr LockPromises kPromises{.fair = true, .limits = {.threads = kThreads}};

  RingLock() { open_[0].store(true, std::memory_order_relaxed); }

  // Who gets a slot for the second time must see that it was closed after the first: so the draws
  // are ordered.
  void lock() {
    const std::size_t mine = next_.fetch_add(1, std::memory_order_acq_rel);
    while (!slot(mine).load(std::memory_order_acquire)) platform::pause();
    enter(mine);
  }

  bool try_lock() {
    std::size_t mine = next_.load(std::memory_order_acquire);
    if (!slot(mine).load(std::memory_order_acquire)) return false;
    if (!next_.compare_exchange_strong(mine, mine + 1, std::memory_order_acq_rel,
                                       std::memory_order_relaxed)) {
      return false;
    }
    enter(mine);
    return true;
  }

  void unlock() { slot(held_ + 1).store(true, std::memory_order_release); }

 private:
  platform::Atomic<bool>& slot(std::size_t number) { return open_[number % kSlots]; }

  void enter(std::size_t number) {
    slot(number).store(false, std::memory_order_relaxed);
    held_ = number;
  }

  std::array<platform::Atomic<bool>, kSlots> open_{};
  platform::Atomic<std::size_t> next_{0};
  std::size_t held_ = 0;  // by the holder
};

}  // namespace lockbench::mutants
