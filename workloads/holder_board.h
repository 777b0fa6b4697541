// SPDX-License-Identifier: Apache-2.0

// HolderBoard: which thread holds which key, to distinguish false conflicts from true ones.
//
// If a primitive hashes keys to fewer locks, threads with different keys wait for each other. Each
// thread notes the key that it holds in a cache line of its own: one store when it acquires the
// key, one when it releases it. A thread that is about to wait reads all lines. The values that it
// reads may be slightly old, so the result is a share and not a proof.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "primitives/platform/layout.h"

namespace lockbench {

class HolderBoard {
 public:
  explicit HolderBoard(std::uint32_t threads) : lines_(threads) {}

  // relaxed throughout: the board must not order anything that the lock under test has to order.
  void hold(std::uint32_t thread, std::uint64_t key) {
    lines_[thread].key.store(key, std::memory_order_relaxed);
  }
  void leave(std::uint32_t thread) { lines_[thread].key.store(kNone, std::memory_order_relaxed); }

  // Calls visit(key) for every key that is held now. O(threads).
  template <class Visit>
  void for_each_held(Visit visit) const {
    for (const Line& line : lines_) {
      const std::uint64_t key = line.key.load(std::memory_order_relaxed);
      if (key != kNone) visit(key);
    }
  }

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  struct alignas(platform::kCacheLine) Line {
    std::atomic<std::uint64_t> key{kNone};
  };

  std::vector<Line> lines_;
};

}  // namespace lockbench
