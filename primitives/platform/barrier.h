// SPDX-License-Identifier: Apache-2.0

// Asymmetric barriers: a pair. The barrier that runs often costs nothing, and the barrier that runs
// seldom has the cost of both.
//
// Guarantees   one thread stores a, passes light_barrier() and loads b. Another thread stores b,
//              passes heavy_barrier() and loads a. Then at least one of them sees the other's
//              store, as with std::atomic_thread_fence(seq_cst) in both. This holds for every
//              call of heavy_barrier(): a call that cannot do it does not return, but aborts the
//              process with a message.
// Not offered  this where has_heavy_barrier() returns false: ask before the first light_barrier(),
//              and use sequentially consistent operations instead. It returns false on other
//              systems than Linux, where the kernel has no membarrier (before 4.14, or a seccomp
//              filter forbids it), and from the first call on that membarrier refused.
//              ThreadSanitizer does not understand these barriers.
// Requires     if a seccomp filter that is installed after main() has begun forbids membarrier:
//              that it reports an error (a filter that returns 0 without the call is not detected),
//              that it permits sched_getaffinity and sched_setaffinity, and that all threads of the
//              process are in one cpuset.
// Side effect  registers the process with the kernel before main(): once there are threads, that
//              takes some 10 ms, which would be the first lock's to pay.
// Cost         light: none. heavy: 0.2 us when no other thread of the process runs, 2 us when one
//              does, which it interrupts. Where membarrier is refused: the time until this thread
//              has been scheduled on every processor once, some milliseconds for each that is busy.
//
// Why a round over the processors is a heavy barrier. Membarrier is refused only after threads have
// begun to rely on light_barrier(), so the fallback must work for threads that do not know of it.
// The caller stores b, binds itself to each processor in turn, and then loads a.
//   - When it runs on a processor, the thread that ran there before has been switched out, and a
//     context switch of Linux is a full memory barrier: the kernel relies on that for membarrier,
//     which leaves threads alone that do not run.
//   - So each thread T of the process has passed a full barrier between the caller's store and its
//     load: T ran on a processor when the caller came there, or was switched out or in, or started,
//     meanwhile. T cannot have run without a switch on a processor that was not visited: it could
//     be on a processor of its cpuset only, which is the caller's.
//   - If T's store of a was before that barrier, the caller sees it. If it was after it, then so
//     was T's load of b, which sees the caller's store.
// The kernel's answer is not trusted: the thread looks on which processor it runs. Interrupting the
// others by changing the protection of a page would be faster, but is no barrier where translations
// are invalidated without interrupts (aarch64; x86-64 with INVLPGB).
// Source       membarrier(2), MEMBARRIER_CMD_PRIVATE_EXPEDITED; M. Desnoyers, 2017. The round over
//              the processors: liburcu and the kernel's documentation of RCU describe it.
#pragma once

#include "primitives/platform/system.h"

#if defined(LOCKBENCH_SIMULATE)
#include "primitives/platform/simulated/barrier.h"
#elif !defined(LOCKBENCH_ON_LINUX)
#include "primitives/platform/portable/barrier.h"
#else

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

#include "primitives/platform/errno.h"
#include "primitives/platform/failure.h"
#include "primitives/platform/one_platform.h"

namespace lockbench::platform {

namespace internal {

inline bool membarrier(int command) noexcept {
  const KeptErrno kept;
  return syscall(SYS_membarrier, command, 0, 0) == 0;
}

// True if the kernel has been able to so far.
[[gnu::visibility("default")]] inline std::atomic<bool>& membarrier_works() noexcept {
  static std::atomic<bool> works{membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED)};
  return works;
}

inline const bool asked_before_main = membarrier_works().load(std::memory_order_relaxed);

// The processors that a thread may run on, as the kernel has them; large enough for any kernel.
class ProcessorSet {
 public:
  static constexpr std::size_t kMost = 1U << 16;

  // Those of the calling thread. Returns the kernel's number of processors, or 0 if it refuses.
  std::size_t get() noexcept {
    const long bytes = syscall(SYS_sched_getaffinity, 0, sizeof words_, words_.data());
    return bytes > 0 ? static_cast<std::size_t>(bytes) * CHAR_BIT : 0;
  }
  // 0, or the number of the error.
  int bind() const noexcept {
    return syscall(SYS_sched_setaffinity, 0, sizeof words_, words_.data()) == 0 ? 0 : errno;
  }

  bool has(std::size_t processor) const noexcept {
    return ((words_[processor / kBits] >> (processor % kBits)) & 1) != 0;
  }
  void flip(std::size_t processor) noexcept {
    words_[processor / kBits] ^= 1UL << (processor % kBits);
  }

 private:
  static constexpr std::size_t kBits = sizeof(unsigned long) * CHAR_BIT;

  std::array<unsigned long, kMost / kBits> words_{};
};

// Runs on every processor that this thread's cpuset has, once. False when that was refused.
[[gnu::noinline, gnu::cold]] inline bool visit_all_processors() noexcept {
  const KeptErrno kept;
  ProcessorSet usual;
  ProcessorSet one;
  const std::size_t count = usual.get();
  bool visited_all = count != 0;
  for (std::size_t i = 0; i < count && visited_all; ++i) {
    one.flip(i);
    const int error = one.bind();
    one.flip(i);
    if (error == 0) {
      unsigned here = 0;
      visited_all = syscall(SYS_getcpu, &here, nullptr, nullptr) == 0 && here == i;
    } else {
      // EINVAL: there is no such processor, or the cpuset does not have it.
      visited_all = error == EINVAL && !usual.has(i);
    }
  }
  return usual.bind() == 0 && visited_all;
}

}  // namespace internal

// True if light_barrier() may be relied on from now on.
inline bool has_heavy_barrier() noexcept {
  // relaxed: a thread that reads true too late still has a heavy_barrier() that works.
  return internal::membarrier_works().load(std::memory_order_relaxed);
}

inline void light_barrier() noexcept {
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

// The work of heavy_barrier() where membarrier refuses. g++ warns that ThreadSanitizer does not
// understand fences, which is said above.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtsan"
#endif
[[gnu::noinline, gnu::cold]] inline void heavy_barrier_without_membarrier() noexcept {
  internal::membarrier_works().store(false, std::memory_order_relaxed);  // relaxed: as it is read
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (!internal::visit_all_processors()) {
    abort_with(
        "a seccomp filter that was installed after the start forbids membarrier, and "
        "sched_setaffinity as well; permit one of them, or install the filter before main()");
  }
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

// Requires that has_heavy_barrier() has returned true in this process.
inline void heavy_barrier() noexcept {
  if (!internal::membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) [[unlikely]]
    heavy_barrier_without_membarrier();
}

}  // namespace lockbench::platform

#endif
