// SPDX-License-Identifier: Apache-2.0

// ScriptedLeases: a shard that hands out whatever numbers the test says.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "primitives/concepts.h"

namespace lockbench {

// One shard's leases on one thread, of whatever numbers the test says. With `leak`, the first that
// comes back is lost.
class ScriptedLeases {
 public:
  static constexpr Promises kPromises{};

  struct Handle {
    ScriptedLeases& pool;
    std::uint32_t taken = 0;

    void lock() { EXPECT_TRUE(try_lock()) << "nobody would give a lease back"; }
    bool try_lock() {
      if (pool.free_.empty()) return false;
      taken = pool.free_.back();
      pool.free_.pop_back();
      return true;
    }
    void unlock() {
      if (!std::exchange(pool.leak_, false)) pool.free_.push_back(taken);
    }
    std::uint32_t lease() const { return taken; }
  };

  ScriptedLeases(std::uint32_t capacity, std::vector<std::uint32_t> numbers, bool leak = false)
      : capacity_(capacity), free_(std::move(numbers)), leak_(leak) {}

  Handle handle(std::uint64_t) { return {*this}; }
  std::uint32_t capacity() const { return capacity_; }
  static constexpr std::size_t lock_bytes() { return 0; }

 private:
  std::uint32_t capacity_;
  std::vector<std::uint32_t> free_;
  bool leak_;
};
static_assert(LeaseLock<ScriptedLeases>);

}  // namespace lockbench
