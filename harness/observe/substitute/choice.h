// SPDX-License-Identifier: Apache-2.0

// Choice: whether one lock of a program is replaced, if only those of some places are. A word of
// the lock that is 0 when the lock is new. Its first acquisition decides, for as long as the lock
// exists.
#pragma once

#include <atomic>
#include <cstdint>

namespace lockbench {

class Choice {
 public:
  explicit Choice(std::uint32_t& word) : word_(word) {}

  // True if the lock is replaced. `is_chosen` is asked if nothing has decided it.
  template <class Ask>
  bool decide(Ask is_chosen) {
    // relaxed, here and below: nothing but the choice itself follows from it.
    std::uint32_t seen = word_.load(std::memory_order_relaxed);
    if (seen == kUndecided) [[unlikely]] {
      const std::uint32_t wanted = is_chosen() ? kReplaced : kLeft;
      if (word_.compare_exchange_strong(seen, wanted, std::memory_order_relaxed)) seen = wanted;
    }
    return seen == kReplaced;
  }
  bool is_replaced() const { return word_.load(std::memory_order_relaxed) == kReplaced; }

 private:
  static constexpr std::uint32_t kUndecided = 0;
  static constexpr std::uint32_t kReplaced = 1;
  static constexpr std::uint32_t kLeft = 2;

  std::atomic_ref<std::uint32_t> word_;
};

}  // namespace lockbench
