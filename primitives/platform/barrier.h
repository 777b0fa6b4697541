// SPDX-License-Identifier: Apache-2.0

// Asymmetric barriers: a pair of which the one that is run often costs nothing, and the one that is
// run seldom pays for both.
//
// Guarantees   where has_heavy_barrier(): of two threads, of which the first stores a, passes
//              light_barrier() and loads b, and the second stores b, passes heavy_barrier() and
//              loads a, at least one sees the other's store. As std::atomic_thread_fence(seq_cst)
//              in both.
// Not offered  that where the kernel has no membarrier (before 4.14, or forbidden by a seccomp
//              filter): ask has_heavy_barrier() once, and use sequentially consistent operations
//              where it says no. ThreadSanitizer does not understand these barriers.
// Side effect  registers the process with the kernel before main(): once there are threads, that
//              takes some 10 ms, which would be the first lock's to pay.
// Cost         light: none. heavy: 0.2 us when no other thread of the process runs, 2 us when one
//              does, which it interrupts.
// Source       membarrier(2), MEMBARRIER_CMD_PRIVATE_EXPEDITED; M. Desnoyers, 2017.
#pragma once

#if defined(LOCKBENCH_SIMULATE)
#include "primitives/platform/simulated/barrier.h"
#else

#include <atomic>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lockbench::platform {

// Whether heavy_barrier() works here.
inline bool has_heavy_barrier() noexcept {
  static const bool registered =
      syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
  return registered;
}

namespace internal {
inline const bool asked_before_main = has_heavy_barrier();
}  // namespace internal

inline void light_barrier() noexcept {
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

// Requires has_heavy_barrier().
inline void heavy_barrier() noexcept {
  syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

}  // namespace lockbench::platform

#endif
