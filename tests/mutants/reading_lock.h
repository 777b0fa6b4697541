// SPDX-License-Identifier: Apache-2.0

// ReadingLock: readers and writers wait at two gates, and a writer that waits keeps later readers
// out. Broken in who is woken, or in how readers are counted.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include <climits>

#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/futex.h"
#include "primitives/platform/spin.h"

namespace lockbench::mutants {

enum class ReadingFault {
  kNone,
  kNumberBefore,       // the last reader takes the number before it left for the number after
  kTimedWriterLeaves,  // a writer whose timeout is over wakes no reader
  kTryLeavesMark,      // a writer that tries in vain still counts as one that waits
  kReadersExclude,     // one reader at a time
};

enum class ReadingTimeouts { kBoth, kOfWriters, kOfReaders };

// kMostReaders: the count of readers is 0 at this number.
template <ReadingFault kFault, ReadingTimeouts kTimeouts = ReadingTimeouts::kBoth,
          std::uint32_t kMostReaders = 0>
class ReadingLock {
 public:
  void lock() { wait_to_write(platform::kForever); }
  bool try_lock_for(std::chrono::nanoseconds timeout) requires(kTimeouts !=
                                                               ReadingTimeouts::kOfReaders) {
    return wait_to_write(platform::now() + timeout);
  }
  bool try_lock() {
    const Guard guard(*this);
    if (may_write()) return writer_ = true;
    if constexpr (kFault == ReadingFault::kTryLeavesMark) ++waiting_writers_;
    return false;
  }
  void unlock() {
    {
      const Guard guard(*this);
      writer_ = false;
    }
    open(writers_gate_);
    open(readers_gate_);
  }

  void lock_shared() { wait_to_read(platform::kForever); }
  bool try_lock_shared_for(std::chrono::nanoseconds timeout) requires(kTimeouts !=
                                                                      ReadingTimeouts::kOfWriters) {
    return wait_to_read(platform::now() + timeout);
  }
  bool try_lock_shared() {
    const Guard guard(*this);
    if (!may_read()) return false;
    count(1);
    return true;
  }
  void unlock_shared() {
    bool is_last;
    {
      const Guard guard(*this);
      const std::uint32_t before = readers_;
      count(-1);
      is_last = (kFault == ReadingFault::kNumberBefore ? before : readers_) == 0;
    }
    if (is_last) open(writers_gate_);
    if constexpr (kFault == ReadingFault::kReadersExclude) open(readers_gate_);
  }

 private:
  class Guard {
   public:
    explicit Guard(ReadingLock& owner) : owner_(owner) {
      while (owner_.guard_.exchange(true, std::memory_order_acquire)) platform::pause();
    }
    ~Guard() { owner_.guard_.store(false, std::memory_order_release); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    ReadingLock& owner_;
  };

  bool may_write() const { return !writer_ && readers_ == 0; }
  bool may_read() const {
    const bool excluded = kFault == ReadingFault::kReadersExclude && readers_ != 0;
    return !writer_ && waiting_writers_ == 0 && !excluded;
  }
  void count(int change) {
    readers_ += static_cast<std::uint32_t>(change);
    if (kMostReaders != 0) readers_ %= kMostReaders;
  }

  static void open(platform::FutexWord& gate) {
    // relaxed: the guard orders what the woken threads look at.
    gate.fetch_add(1, std::memory_order_relaxed);
    platform::futex_wake(gate, INT_MAX);
  }

  bool wait_to_write(platform::Time deadline) {
    bool waits = false;
    for (;;) {
      std::uint32_t seen;
      {
        const Guard guard(*this);
        const bool is_free = may_write();
        const bool ends = is_free || platform::now() >= deadline;
        if (waits && ends) --waiting_writers_;
        if (is_free) return writer_ = true;
        if (!waits && !ends) ++waiting_writers_;
        seen = writers_gate_.load(std::memory_order_relaxed);
        if (ends) break;
        waits = true;
      }
      platform::futex_wait(writers_gate_, seen, deadline);
    }
    if constexpr (kFault != ReadingFault::kTimedWriterLeaves) open(readers_gate_);
    return false;
  }

  bool wait_to_read(platform::Time deadline) {
    for (;;) {
      std::uint32_t seen;
      {
        const Guard guard(*this);
        if (may_read()) {
          count(1);
          return true;
        }
        if (platform::now() >= deadline) return false;
        seen = readers_gate_.load(std::memory_order_relaxed);
      }
      platform::futex_wait(readers_gate_, seen, deadline);
    }
  }

  platform::Atomic<bool> guard_{false};
  platform::FutexWord readers_gate_{0};
  platform::FutexWord writers_gate_{0};
  // Under the guard:
  std::uint32_t readers_ = 0;
  std::uint32_t waiting_writers_ = 0;
  bool writer_ = false;
};

}  // namespace lockbench::mutants
