// SPDX-License-Identifier: Apache-2.0

// CrashLock: a test-and-set lock whose holder publishes where others count how often they looked in
// vain. Broken if a thread that looks reads the pointer twice: the holder withdraws it in between.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "primitives/platform/atomic.h"
#include "primitives/platform/spin.h"
#include "tests/mutants/bases.h"

namespace lockbench::mutants {

// The reaction of a thread that finds the pointer withdrawn.
enum class CrashFault {
  kNone,
  kFollows,  // what stands for no pointer, where there is no memory
  kAborts,
  kExits,
};

template <CrashFault kFault>
class CrashLock : public Spins<CrashLock<kFault>> {
 public:
  bool try_lock() {
    if (held_.exchange(true, std::memory_order_acquire)) {
      count();
      return false;
    }
    // release: publishes the count to who looks.
    where_.store(&looks_, std::memory_order_release);
    return true;
  }

  void unlock() {
    where_.store(none(), std::memory_order_relaxed);
    held_.store(false, std::memory_order_release);
  }

 private:
  using Count = platform::Atomic<std::uint32_t>;

  static Count* none() { return reinterpret_cast<Count*>(std::uintptr_t{0xdead0000}); }

  void count() {
    // acquire, here and below: synchronizes with the release in try_lock().
    Count* const where = where_.load(std::memory_order_acquire);
    if (where == none()) return;
    if constexpr (kFault == CrashFault::kNone) {
      where->fetch_add(1, std::memory_order_relaxed);
      return;
    }
    Count* const again = where_.load(std::memory_order_acquire);
    if (again == none() && kFault == CrashFault::kAborts) std::abort();
    if (again == none() && kFault == CrashFault::kExits) std::_Exit(9);
    again->fetch_add(1, std::memory_order_relaxed);
  }

  platform::Atomic<bool> held_{false};
  platform::Atomic<Count*> where_{none()};
  Count looks_{0};
};

}  // namespace lockbench::mutants
