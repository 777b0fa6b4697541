// SPDX-License-Identifier: Apache-2.0

// TicketLock: first come, first served; and variants with one fault each.
#pragma once

#include <cstdint>
#include <type_traits>

#include "primitives/concepts.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/spin.h"

namespace lockbench::mutants {

enum class TicketFault {
  kNone,
  kServes8,   // the number that is served has 8 bits, a ticket has more
  kServes16,  // the same, 16 bits
  kBarges,    // a thread that finds the lock free takes it, whatever its ticket is
  kTryBlocks  // try_lock() takes a ticket and waits
};

template <TicketFault kFault>
class TicketLock {
 public:
  static constexpr Promises kPromises{.fair = true};

  void lock() {
    const std::uint32_t mine = next_.fetch_add(1, std::memory_order_relaxed);
    if constexpr (kFault == TicketFault::kBarges) {
      while (held_.exchange(1, std::memory_order_acquire) != 0) platform::pause();
    } else {
      while (serving_.load(std::memory_order_acquire) != mine) platform::pause();
    }
  }

  bool try_lock() {
    if constexpr (kFault == TicketFault::kTryBlocks) {
      lock();
      return true;
    } else if constexpr (kFault == TicketFault::kBarges) {
      return held_.exchange(1, std::memory_order_acquire) == 0;
    } else {
      std::uint32_t serving = serving_.load(std::memory_order_acquire);
      return next_.compare_exchange_strong(serving, serving + 1, std::memory_order_relaxed);
    }
  }

  void unlock() {
    held_.store(0, std::memory_order_release);
    const Number mine = serving_.load(std::memory_order_relaxed);
    serving_.store(static_cast<Number>(mine + 1), std::memory_order_release);
  }

 private:
  using Number = std::conditional_t<
      kFault == TicketFault::kServes8, std::uint8_t,
      std::conditional_t<kFault == TicketFault::kServes16, std::uint16_t, std::uint32_t>>;

  platform::Atomic<std::uint32_t> next_{0};
  platform::Atomic<Number> serving_{0};
  platform::Atomic<std::uint32_t> held_{0};
};

}  // namespace lockbench::mutants
