// SPDX-License-Identifier: Apache-2.0

// NoLock: what a program does that forgot to lock.
//
// Guarantees   nothing. At one thread it is the floor that other primitives are measured from; at
//              more it shows the race, and the workload's proof says what was lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "primitives/concepts.h"

namespace lockbench {

class NoLock {
 public:
  static constexpr Promises kPromises{.excludes = false};

  // The empty asm statements keep the compiler from merging the work of neighbouring operations,
  // which no real lock would let it do. They emit no instruction.
  class Handle {
   public:
    void lock() { asm volatile("" ::: "memory"); }
    bool try_lock() {
      lock();
      return true;
    }
    void unlock() { asm volatile("" ::: "memory"); }
  };

  Handle handle(std::uint64_t) { return {}; }
  Handle handle(std::string_view) { return {}; }

  template <Key K>
  Handle handle_both(K, K) {
    return {};
  }

  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return 0; }
};

}  // namespace lockbench
