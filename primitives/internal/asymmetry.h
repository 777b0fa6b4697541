// Asymmetry: which pair of barriers a lock is built on that has its unlock paid for by waiters.
//
// Such a lock takes one of these types as a parameter and asks available() before it lets an unlock
// go without a read-modify-write; so what it does on a kernel that lacks membarrier can be tried on
// one that has it.
#pragma once

#include "primitives/platform/barrier.h"

namespace lockbench::internal {

// As the kernel offers them.
struct KernelBarriers {
  static bool available() noexcept { return platform::has_heavy_barrier(); }
  static void light() noexcept { platform::light_barrier(); }
  static void heavy() noexcept { platform::heavy_barrier(); }
};

// As on a kernel without membarrier.
struct NoBarriers {
  static bool available() noexcept { return false; }
  static void light() noexcept {}
  static void heavy() noexcept {}
};

}  // namespace lockbench::internal
