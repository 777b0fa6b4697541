// SPDX-License-Identifier: Apache-2.0

// SharedLock: a reader-writer lock of one word that spins; and what becomes of it with one fault.
#pragma once

#include <cstdint>

#include "primitives/platform/atomic.h"
#include "primitives/platform/spin.h"
#include "tests/mutants/bases.h"

namespace lockbench::mutants {

enum class SharedFault {
  kNone,
  kReaderBesideWriter,  // a reader goes in without looking for a writer
  kWriterBesideReader,  // a writer goes in without looking for readers
  kReaderFreesAll,      // the first reader that leaves frees the lock
  kCountLost,           // a reader that leaves stays counted
};

template <SharedFault kFault>
class SharedLock : public Spins<SharedLock<kFault>> {
 public:
  bool try_lock() {
    std::uint32_t seen = word_.load(std::memory_order_relaxed);
    if (kFault == SharedFault::kWriterBesideReader ? (seen & kWriter) != 0 : seen != 0) {
      return false;
    }
    return word_.compare_exchange_strong(seen, seen | kWriter, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }

  void unlock() { word_.fetch_and(~kWriter, std::memory_order_release); }

  void lock_shared() {
    while (!try_lock_shared()) platform::pause();
  }

  bool try_lock_shared() {
    std::uint32_t seen = word_.load(std::memory_order_relaxed);
    do {
      if (kFault != SharedFault::kReaderBesideWriter && (seen & kWriter) != 0) return false;
    } while (!word_.compare_exchange_weak(seen, seen + 1, std::memory_order_acquire,
                                          std::memory_order_relaxed));
    return true;
  }

  void unlock_shared() {
    if constexpr (kFault == SharedFault::kCountLost) return;
    if constexpr (kFault == SharedFault::kReaderFreesAll) {
      word_.store(0, std::memory_order_release);
    } else {
      word_.fetch_sub(1, std::memory_order_release);
    }
  }

 private:
  // 0 free | 1 to 2^31 - 1 readers | kWriter: a writer
  static constexpr std::uint32_t kWriter = std::uint32_t{1} << 31;

  platform::Atomic<std::uint32_t> word_{0};
};

}  // namespace lockbench::mutants
