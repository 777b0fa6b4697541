// SPDX-License-Identifier: Apache-2.0

// Asymmetry: the pair of barriers with which waiters pay for a cheaper unlock().
//
// A lock takes one of these types as a parameter and asks available() before it enters its fast
// release mode. So tests can run its code for a kernel without membarrier.
#pragma once

#include <cstdint>

#include "primitives/platform/barrier.h"
#include "primitives/platform/spin.h"

namespace lockbench::internal {

// Version 14 of clang-format takes these for something else.
// clang-format off

// The barriers of the kernel.
struct [[gnu::visibility("default")]] KernelBarriers {
  static bool available() noexcept { return platform::has_heavy_barrier(); }
  static void light() noexcept { platform::light_barrier(); }
  static void heavy() noexcept { platform::heavy_barrier(); }
};

// As on a kernel without membarrier.
struct [[gnu::visibility("default")]] NoBarriers {
  static bool available() noexcept { return false; }
  static void light() noexcept {}
  static void heavy() noexcept {}
};

// clang-format on

// Counts the releases of this thread, of any lock, that were done in slow mode and met no waiter.
// After enough of them in a row the lock at hand may return to the fast mode: to leave that again
// takes a heavy barrier, which costs as much as some hundred slow releases.
class [[gnu::visibility("default")]] UncontendedReleases {
 public:
  // Counts one more release; `quiet`: it met no waiter. Whether there are enough in a row now.
  bool note(bool quiet) noexcept {
    count_ = quiet ? count_ + 1 : 0;
    if (count_ < kEnough) return false;
    count_ = 0;
    return true;
  }

  // True for one release in kEvery, which looks at the clock.
  bool now_and_then() noexcept {
    return ++looks_ % kEvery == 0;
  }

 private:
  static constexpr std::uint32_t kEnough = platform::spins(2000);
  static constexpr std::uint32_t kEvery = platform::spins(4);

  std::uint32_t count_ = 0;
  std::uint32_t looks_ = 0;
};

}  // namespace lockbench::internal
