// SPDX-License-Identifier: Apache-2.0

// Companion: the second thread of lockbench-micro. It sleeps until it gets a task.
//
// Guarantees   It exists from its construction to its destruction, so that the process counts as
//              one with several threads. Before a process has a second thread, this C library locks
//              mutexes without atomic instructions, and programs that need locks never run in that
//              mode.
// Requires     One thread calls start() and wait() in turn.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace lockbench {

class Companion {
 public:
  Companion() : thread_([this] { serve(); }) {}
  Companion(const Companion&) = delete;
  Companion& operator=(const Companion&) = delete;
  ~Companion() {
    start(nullptr);
    thread_.join();
  }

  // The companion runs `task`; the call returns at once.
  void start(std::function<void()> task) {
    std::scoped_lock guard(mutex_);
    task_ = std::move(task);
    busy_ = true;
    changed_.notify_one();
  }

  // Waits until the task has ended.
  void wait() {
    std::unique_lock guard(mutex_);
    changed_.wait(guard, [this] { return !busy_; });
  }

  void run(std::function<void()> task) {
    start(std::move(task));
    wait();
  }

 private:
  // An empty task is the last one.
  void serve() {
    std::unique_lock guard(mutex_);
    for (;;) {
      changed_.wait(guard, [this] { return busy_; });
      if (!task_) return;
      guard.unlock();
      task_();
      guard.lock();
      busy_ = false;
      changed_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> task_;
  bool busy_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace lockbench
