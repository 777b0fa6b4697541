// SPDX-License-Identifier: Apache-2.0

// The locks of libstdc++, from its headers as they are installed.
//
//   lockbench stress --plugin ./std_locks.so --engine sim
#include <atomic>
#include <lockbench/plugin.h>
#include <mutex>
#include <semaphore>
#include <shared_mutex>

namespace {

class Semaphore {
 public:
  void lock() { free_.acquire(); }
  bool try_lock() { return free_.try_acquire(); }
  void unlock() { free_.release(); }

 private:
  std::counting_semaphore<1> free_{1};
};

// std::atomic::wait() and notify_one() are all that this lock waits with.
// 0 free | 1 held | 2 held, and threads may wait
class AtomicWait {
 public:
  void lock() {
    if (try_lock()) return;
    // acquire: synchronizes with the release in unlock().
    while (word_.exchange(2, std::memory_order_acquire) != 0) {
      word_.wait(2, std::memory_order_relaxed);  // relaxed: the exchange after it decides
    }
  }
  bool try_lock() {
    int expected = 0;
    return word_.compare_exchange_strong(expected, 1, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }
  void unlock() {
    // release: publishes what was done inside.
    if (word_.exchange(0, std::memory_order_release) == 2) word_.notify_one();
  }

 private:
  std::atomic<int> word_{0};
};

// The same, but free is a plain store away.
// 0 free | 1 held
class AtomicWaitStore {
 public:
  void lock() {
    // acquire: synchronizes with the release in unlock().
    while (word_.exchange(1, std::memory_order_acquire) != 0) {
      word_.wait(1, std::memory_order_relaxed);  // relaxed: the exchange after it decides
    }
  }
  bool try_lock() { return word_.exchange(1, std::memory_order_acquire) == 0; }
  void unlock() {
    word_.store(0, std::memory_order_release);  // release: publishes what was done inside
    word_.notify_one();
  }

 private:
  std::atomic<int> word_{0};
};

}  // namespace

LOCKBENCH_PLUGIN(locks) {
  locks.add<std::mutex>("std_mutex", "std::mutex", "libstdc++");
  locks.add<std::timed_mutex>("std_timed_mutex", "std::timed_mutex", "libstdc++");
  locks.add<std::shared_mutex>("std_shared_mutex", "std::shared_mutex", "libstdc++");
  locks.add<Semaphore>("std_semaphore", "std::counting_semaphore<1>", "libstdc++");
  locks.add<AtomicWait>("std_atomic_wait", "std::atomic<int>::wait", "libstdc++");
  locks.add<AtomicWaitStore>("std_atomic_wait_store", "the same, freed by a store", "libstdc++");
}
