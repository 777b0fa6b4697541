// SPDX-License-Identifier: Apache-2.0

// Base locks that promise something, and keep it or do not: a semaphore of three, one that admits
// four, a lock whose program has an act that it does not offer, one with a timeout, and one that
// has room for three threads.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <lockbench/plugin.h>

#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/spin.h"

namespace {

namespace platform = lockbench::platform;

template <int kAdmitted>
struct Semaphore {
  static constexpr lockbench::LockPromises kPromises{.capacity = 3};

  void lock() {
    while (!try_lock()) platform::pause();
  }
  bool try_lock() {
    int left = left_.load(std::memory_order_relaxed);
    while (left > 0) {
      if (left_.compare_exchange_weak(left, left - 1, std::memory_order_acquire,
                                      std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }
  void unlock() { left_.fetch_add(1, std::memory_order_release); }

  platform::Atomic<int> left_{kAdmitted};
};

// A semaphore that hands its permits to those who wait: to the first, or to the last.
template <bool kToTheFirst, std::uint32_t kPermits = 2, std::uint32_t kMostThreads = 0>
class Handing {
 public:
  static constexpr lockbench::LockPromises kPromises{
      .fair = true, .capacity = kPermits, .limits = {.threads = kMostThreads}};

  void lock() {
    platform::Atomic<bool> granted{false};
    {
      const Guard guard(*this);
      if (take()) return;
      waiting_[count_++] = &granted;
    }
    while (!granted.load(std::memory_order_acquire)) platform::pause();
  }
  bool try_lock() {
    const Guard guard(*this);
    return take();
  }
  void unlock() {
    const Guard guard(*this);
    if (count_ == 0) {
      ++free_;
      return;
    }
    const std::size_t next = kToTheFirst ? 0 : count_ - 1;
    platform::Atomic<bool>* const granted = waiting_[next];
    std::copy(waiting_.begin() + next + 1, waiting_.begin() + count_, waiting_.begin() + next);
    --count_;
    granted->store(true, std::memory_order_release);
  }

 private:
  class Guard {
   public:
    explicit Guard(Handing& of) : of_(of) {
      while (of_.guard_.exchange(true, std::memory_order_acquire)) platform::pause();
    }
    ~Guard() { of_.guard_.store(false, std::memory_order_release); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    Handing& of_;
  };

  bool take() { return free_ != 0 && free_-- != 0; }

  platform::Atomic<bool> guard_{false};
  // Under the guard:
  std::uint32_t free_ = kPermits;
  std::size_t count_ = 0;
  std::array<platform::Atomic<bool>*, 256> waiting_{};
};

struct Flag {
  void lock() {
    while (!try_lock()) platform::pause();
  }
  bool try_lock() { return !taken_.exchange(true, std::memory_order_acquire); }
  void unlock() { taken_.store(false, std::memory_order_release); }

  platform::Atomic<bool> taken_{false};
};

struct Timed : Flag {
  static constexpr lockbench::LockPromises kPromises{
      .timed = true, .programs = "L0 R4000000 U | W0:400000 U; W0:0 U"};

  bool try_lock_for(std::chrono::nanoseconds timeout) {
    const platform::Time end = platform::now() + timeout;
    while (!try_lock()) {
      if (platform::now() >= end) return false;
      platform::pause();
    }
    return true;
  }
};

struct Narrow {
  static constexpr lockbench::LockPromises kPromises{.limits = {.threads = 3}};

  void lock() {
    if (inside_.fetch_add(1) == 3) std::abort();
    flag_.lock();
  }
  bool try_lock() {
    if (flag_.try_lock()) return inside_.fetch_add(1) >= 0;
    return false;
  }
  void unlock() {
    inside_.fetch_sub(1);
    flag_.unlock();
  }

  Flag flag_;
  platform::Atomic<int> inside_{0};
};

struct Overreaching : Flag {
  static constexpr lockbench::LockPromises kPromises{.programs = "L0 U; W0:5 U"};
};

}  // namespace

LOCKBENCH_PLUGIN(locks) {
  locks.add_alone<Semaphore<3>>("three", "a semaphore of three");
  locks.add_alone<Semaphore<4>>("four", "a semaphore of four, and promises three");
  locks.add_alone<Handing<true>>("handing", "a semaphore of two, its permits go to the first");
  locks.add_alone<Handing<true, 2, 3>>("handing_3", "the same for three threads");
  locks.add_alone<Handing<true, 66>>("handing_66",
                                     "a semaphore of 66, its permits go to the first");
  locks.add_alone<Handing<false>>("handing_last", "a semaphore of two, its permits go to the last");
  locks.add_alone<Timed>("flag_timed", "a flag with a timeout");
  locks.add<Narrow>("narrow", "a flag for three threads");
  locks.add_alone<Overreaching>("overreaching", "a program with an act that it does not offer");
}
