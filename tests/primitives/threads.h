// SPDX-License-Identifier: Apache-2.0

// Threads of the contract's tests, for libraries that lack those of C++20.
#pragma once

#include <concepts>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <utility>

namespace lockbench {

// std::latch, made of a mutex and a condition variable. With the latch of libstdc++ 12 for Windows,
// waiting threads are not always woken.
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

// std::jthread without a stop token: its destructor joins. libc++ 16 has no std::jthread.
class JoiningThread {
 public:
  JoiningThread() = default;
  template <std::invocable Work>
  explicit JoiningThread(Work work) : thread_(std::move(work)) {}
  JoiningThread(JoiningThread&&) noexcept = default;
  JoiningThread& operator=(JoiningThread&& other) noexcept {
    std::swap(thread_, other.thread_);
    return *this;
  }
  ~JoiningThread() {
    if (thread_.joinable()) thread_.join();
  }

  void join() { thread_.join(); }

 private:
  std::thread thread_;
};

}  // namespace lockbench
