// SPDX-License-Identifier: Apache-2.0

// DeadlineTimer: one thread that watches the deadlines of any number of numbered things.
//
// Guarantees   alarm(i) runs on the timer's thread once the deadline set for i has passed, and not
//              before; no allocation after construction; when the destructor returns, no alarm
//              runs.
// Not offered  punctuality: an alarm waits for the one before it.
// Requires     the alarm may call set(); numbers are below the number given to the constructor.
// Cost         set() locks a mutex; O(log things). The thread sleeps while nothing is due.
//
// Invariants, all under mutex_
//   I1  heap_[0, size_) are the numbers that have a deadline, each once, the earliest on top.
//   I2  index_[i] is the index of i in heap_, or kNowhere.
//   I3  changes_ grows whenever the earliest deadline may have become another one, or the end has
//       come; the thread falls asleep only on a value that it read under the mutex.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "primitives/futex_mutex.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/futex.h"
#include "primitives/platform/thread.h"

namespace lockbench::internal {

template <class Alarm>
class DeadlineTimer {
 public:
  // Throws std::system_error when no thread can be started.
  DeadlineTimer(std::size_t things, Alarm alarm)
      : alarm_(std::move(alarm)),
        heap_(things),
        index_(things, kNowhere),
        deadline_(things),
        thread_([this] { watch(); }) {}

  DeadlineTimer(const DeadlineTimer&) = delete;
  DeadlineTimer& operator=(const DeadlineTimer&) = delete;

  ~DeadlineTimer() {
    {
      std::scoped_lock guard(mutex_);
      ended_ = true;
      note_change();
    }
    platform::futex_wake(changes_, 1);
    thread_.join();
  }

  // Sets the deadline of thing `i`, or brings forward the one it has; a later one is ignored.
  void set(std::size_t i, platform::Time deadline) {
    {
      std::scoped_lock guard(mutex_);
      if (index_[i] != kNowhere && deadline_[i] <= deadline) return;
      deadline_[i] = deadline;
      rise(index_[i] == kNowhere ? size_++ : index_[i], i);
      if (heap_[0] != i) return;
      note_change();
    }
    platform::futex_wake(changes_, 1);
  }

  std::size_t bytes_outside() const {
    return heap_.size() * (2 * sizeof(std::size_t) + sizeof(platform::Time));
  }

 private:
  static constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

  void watch() {
    std::unique_lock guard(mutex_);
    while (!ended_) {
      const platform::Time next = size_ == 0 ? platform::kForever : deadline_[heap_[0]];
      if (platform::now() >= next) {
        const std::size_t due = take_first();
        guard.unlock();
        alarm_(due);
      } else {
        // relaxed: changes_ is changed under the mutex, which this thread holds.
        const std::uint32_t seen = changes_.load(std::memory_order_relaxed);
        guard.unlock();
        platform::futex_wait(changes_, seen, next);
      }
      guard.lock();
    }
  }

  void note_change() {
    changes_.fetch_add(1, std::memory_order_relaxed);  // relaxed: as in watch()
  }

  bool earlier(std::size_t a, std::size_t b) const { return deadline_[a] < deadline_[b]; }

  void put(std::size_t at, std::size_t i) {
    heap_[at] = i;
    index_[i] = at;
  }

  // Thing `i` belongs at `at` or nearer to the top.
  void rise(std::size_t at, std::size_t i) {
    for (; at != 0 && earlier(i, heap_[(at - 1) / 2]); at = (at - 1) / 2) {
      put(at, heap_[(at - 1) / 2]);
    }
    put(at, i);
  }

  std::size_t take_first() {
    const std::size_t first = heap_[0];
    index_[first] = kNowhere;
    const std::size_t last = heap_[--size_];
    if (size_ != 0) sink(last);
    return first;
  }

  // Thing `i` belongs at the top or further down.
  void sink(std::size_t i) {
    std::size_t at = 0;
    for (std::size_t child = 1; child < size_; child = 2 * at + 1) {
      if (child + 1 < size_ && earlier(heap_[child + 1], heap_[child])) ++child;
      if (!earlier(heap_[child], i)) break;
      put(at, heap_[child]);
      at = child;
    }
    put(at, i);
  }

  const Alarm alarm_;
  FutexMutex mutex_;
  std::vector<std::size_t> heap_;         // I1
  std::size_t size_ = 0;                  // I1
  std::vector<std::size_t> index_;        // I2
  std::vector<platform::Time> deadline_;  // of those in heap_
  bool ended_ = false;
  platform::FutexWord changes_{0};  // I3
  platform::Thread thread_;         // last: it finds the rest made
};

}  // namespace lockbench::internal
