// SPDX-License-Identifier: Apache-2.0

// Latch: std::latch, made of a mutex and a condition variable. With the latch of libstdc++ 12 for
// Windows, waiting threads are not always woken.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace lockbench {

class Latch {
 public:
  explicit Latch(std::ptrdiff_t count) : count_(count) {}

  void count_down() {
    std::scoped_lock guard(mutex_);
    if (--count_ == 0) open_.notify_all();
  }
  void wait() {
    std::unique_lock guard(mutex_);
    open_.wait(guard, [this] { return count_ == 0; });
  }
  void arrive_and_wait() {
    count_down();
    wait();
  }

 private:
  std::mutex mutex_;
  std::condition_variable open_;
  std::ptrdiff_t count_;
};

}  // namespace lockbench
