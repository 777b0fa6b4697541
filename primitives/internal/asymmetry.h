// SPDX-License-Identifier: Apache-2.0

// Asymmetry: which pair of barriers a lock is built on that has its unlock paid for by waiters.
//
// Such a lock takes one of these types as a parameter and asks available() before it lets an unlock
// go without a read-modify-write; so what it does on a kernel that lacks membarrier can be tried on
// one that has it.
#pragma once

#include <cstdint>

#include "primitives/platform/barrier.h"
#include "primitives/platform/spin.h"

namespace lockbench::internal {

// As the kernel offers them.
struct [[gnu::visibility("default")]] KernelBarriers{
    static bool available() noexcept {return platform::has_heavy_barrier();
}  // namespace lockbench::internal
static void light() noexcept {
  platform::light_barrier();
}
static void heavy() noexcept {
  platform::heavy_barrier();
}
}
;

// As on a kernel without membarrier.
struct [[gnu::visibility("default")]] NoBarriers{static bool available() noexcept {return false;
}
static void light() noexcept {}
static void heavy() noexcept {}
}
;

// Releases of this thread, of whatever lock, that paid for a waiter and met none. After enough of
// them in a row the lock at hand may go back to releases that cost nothing: to undo that again
// takes a heavy barrier, which is worth some hundred of them.
class [[gnu::visibility("default")]] QuietReleases {
 public:
  // Counts one more release; `quiet`: it met no waiter. Whether there were enough.
  bool enough_with(bool quiet) noexcept {
    count_ = quiet ? count_ + 1 : 0;
    if (count_ < kEnough) return false;
    count_ = 0;
    return true;
  }

 private:
  static constexpr std::uint32_t kEnough = platform::spins(2000);

  std::uint32_t count_ = 0;
};

}  // namespace lockbench::internal
