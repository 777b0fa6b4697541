// SPDX-License-Identifier: Apache-2.0

// RefusalCountLock: counts in its word how often try_lock() failed. With the faults the count has
// too few bits and overflows into the bits that say that the lock is held.
#pragma once

#include <cstdint>

#include "primitives/platform/atomic.h"
#include "primitives/platform/spin.h"

namespace lockbench::mutants {

// The count has kBits bits. 64: it is no part of the word.
template <int kBits>
class RefusalCountLock {
 public:
  void lock() {
    while (!take()) platform::pause();
  }

  bool try_lock() {
    if (take()) return true;
    (kSafe ? refusals_ : word_).fetch_add(1, std::memory_order_relaxed);
    return false;
  }

  void unlock() { word_.fetch_and(kHeld - 1, std::memory_order_release); }

 private:
  static constexpr bool kSafe = kBits == 64;
  static constexpr std::uint32_t kHeld = std::uint32_t{1} << (kSafe ? 31 : kBits);

  bool take() {
    std::uint32_t seen = word_.load(std::memory_order_relaxed);
    while ((seen & kHeld) == 0) {
      const std::uint32_t held = (seen & (kHeld - 1)) | kHeld;
      if (word_.compare_exchange_weak(seen, held, std::memory_order_acquire,
                                      std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }

  platform::Atomic<std::uint32_t> word_{0};
  platform::Atomic<std::uint32_t> refusals_{0};
};

}  // namespace lockbench::mutants
