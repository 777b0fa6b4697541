// SPDX-License-Identifier: Apache-2.0

// The semaphores of libstdc++, from its headers as they are installed, and one that waits for 0
// alone. In libstdc++ 12, a thread may sleep although a permit is free (GCC bug 104928):
// docs/laboratory/libstdcxx-semaphore.md.
//
//   ./find.sh
#include <atomic>
#include <cstdint>
#include <lockbench/plugin.h>
#include <semaphore>

namespace {

constexpr std::uint32_t kPermits = 2;

// `kMost`: as many permits as there can be.
template <std::ptrdiff_t kMost>
class OfTheLibrary {
 public:
  static constexpr lockbench::LockPromises kPromises{.capacity = kMost};

  void lock() { free_.acquire(); }
  bool try_lock() { return free_.try_acquire(); }
  void unlock() { free_.release(); }

 private:
  std::counting_semaphore<kMost> free_{kMost};
};

// A thread sleeps only while the word is 0, and what it compares with 0 is the word that it sleeps
// on: a permit that comes in between ends the sleep before it begins.
class WaitsForZero {
 public:
  static constexpr lockbench::LockPromises kPromises{.capacity = kPermits};

  void lock() {
    // relaxed: try_lock() decides.
    while (!try_lock()) free_.wait(0, std::memory_order_relaxed);
  }
  bool try_lock() {
    std::uint32_t free = free_.load(std::memory_order_relaxed);
    while (free != 0) {
      // (1) acquire: synchronizes with (2).
      if (free_.compare_exchange_weak(free, free - 1, std::memory_order_acquire,
                                      std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }
  void unlock() {
    free_.fetch_add(1);  // (2) seq_cst: libstdc++ then asks whether a thread waits
    free_.notify_one();
  }

 private:
  std::atomic<std::uint32_t> free_{kPermits};
};

}  // namespace

LOCKBENCH_PLUGIN(locks) {
  locks.add<OfTheLibrary<kPermits>>("counting_semaphore", "std::counting_semaphore<2>",
                                    "libstdc++");
  locks.add<OfTheLibrary<1>>("binary_semaphore", "std::binary_semaphore", "libstdc++");
  locks.add<WaitsForZero>("waits_for_zero", "sleeps while no permit is free", "lockbench");
}
