#include <atomic>
#include <lockbench/plugin.h>

struct MyLock {
  void lock() { while (!try_lock()) taken.wait(true); }
  bool try_lock() { return !taken.exchange(true, std::memory_order_acquire); }
  void unlock() { taken.store(false, std::memory_order_release); taken.notify_one(); }
  std::atomic<bool> taken{false};
};
LOCKBENCH_PRIMITIVE("my_lock", "a flag, and sleep", MyLock)
