// SPDX-License-Identifier: Apache-2.0

// ThreadOrders: orders the threads of one process that exclude each other by means that the
// language does not know, for example files.
//
// Guarantees   what a thread did before note_release(hash) happens before what another one does
//              after note_acquire(hash), if the second call comes later in time. So the memory
//              model and ThreadSanitizer know what the kernel does anyway.
// Cost         an atomic operation each. Hashes that share a word are ordered needlessly.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "primitives/key.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/thread.h"

namespace lockbench::internal {

class [[gnu::visibility("default")]] ThreadOrders {
 public:
  static ThreadOrders& of_process() {
    return platform::of_this_process<ThreadOrders>();
  }

  void note_release(std::uint64_t hash) {
    word(hash).fetch_add(1, std::memory_order_release);  // (1) release: publishes to (2).
  }

  void note_acquire(std::uint64_t hash) {
    // (2) acquire: synchronizes with (1), and reads the latest value: the system calls between the
    // two keep their order.
    word(hash).load(std::memory_order_acquire);
  }

 private:
  static constexpr std::size_t kWords = 64;

  platform::Atomic<std::uint32_t>& word(std::uint64_t hash) {
    return words_[index_below(kWords, hash)];
  }

  std::array<platform::Atomic<std::uint32_t>, kWords> words_{};
};

}  // namespace lockbench::internal
