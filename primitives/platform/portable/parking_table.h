// SPDX-License-Identifier: Apache-2.0

// ParkingTable: a futex made of mutexes and condition variables.
//
// Guarantees   those of futex.h. Threads that wait on one word are woken in their order of arrival,
//              and a wake-up returns to no other thread.
// fork()       not while another thread is in a call: the child would find a bucket's mutex locked.
// Cost         a mutex of the standard library for each wait and each wake; words whose addresses
//              fall into one bucket share it.
//
// Invariants, all under the bucket's mutex
//   I1  a Waiter is in the list of its bucket from the check of the word until it is woken, or
//       until its deadline. It lives on the stack of its thread.
//   I2  a Waiter is notified under the mutex: its thread cannot return, and the condition variable
//       cannot end, before the notification has.
// Why no wake-up is lost   a thread changes the word and then locks the bucket in wake(). If the
//              waiter locked it before, it is in the list (I1). If it locks it later, the unlock in
//              wake() synchronizes with its lock, so it reads the changed word.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/layout.h"
#include "primitives/platform/mutex.h"
#include "primitives/platform/thread.h"

namespace lockbench::platform {

class [[gnu::visibility("default")]] ParkingTable {
 public:
  using Word = Atomic<std::uint32_t>;

  // Sleeps while `word` holds `expected`, until woken or `deadline`. Returns false when the
  // deadline passed, true otherwise.
  bool wait(const Word& word, std::uint32_t expected, Time deadline) {
    Bucket& bucket = bucket_of(&word);
    Waiter self{.address = &word};
    std::unique_lock guard(bucket.mutex);
    // relaxed: the mutex orders it after the change that a wake-up follows.
    if (word.load(std::memory_order_relaxed) != expected) return true;
    bucket.add(self);
    while (!self.woken) {
      if (deadline == kForever) {
        self.wake_up.wait(guard);
        continue;
      }
      const Time present = now();
      if (present >= deadline) {
        bucket.remove(self);
        return false;
      }
      // Some libraries compute the deadline on another clock, where a far one would overflow.
      self.wake_up.wait_until(guard, std::min(deadline, present + kLongest));
    }
    return true;
  }

  // Wakes at most `count` threads that sleep on `word`; uses its address alone.
  void wake(const Word& word, int count) {
    Bucket& bucket = bucket_of(&word);
    std::scoped_lock guard(bucket.mutex);
    Waiter* next = bucket.first;
    while (next != nullptr && count > 0) {
      Waiter& waiter = *next;
      next = waiter.next;
      if (waiter.address != &word) continue;
      bucket.remove(waiter);
      waiter.woken = true;
      waiter.wake_up.notify_one();  // I2
      --count;
    }
  }

 private:
  static constexpr std::size_t kBuckets = table_size(256);
  static constexpr std::chrono::hours kLongest{720};

  struct Waiter {
    const Word* address;
    bool woken = false;
    Waiter* previous = nullptr;
    Waiter* next = nullptr;
    ConditionVariable wake_up{};
  };

  struct alignas(kCacheLine) Bucket {
    Mutex mutex;
    Waiter* first = nullptr;
    Waiter* last = nullptr;

    void add(Waiter& waiter) {
      waiter.previous = last;
      (last == nullptr ? first : last->next) = &waiter;
      last = &waiter;
    }
    void remove(const Waiter& waiter) {
      (waiter.previous == nullptr ? first : waiter.previous->next) = waiter.next;
      (waiter.next == nullptr ? last : waiter.next->previous) = waiter.previous;
    }
  };

  Bucket& bucket_of(const Word* word) {
    const std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(word) * 0x9e3779b97f4a7c15u;
    return buckets_[(mixed >> 32) % kBuckets];
  }

  std::array<Bucket, kBuckets> buckets_;
};

}  // namespace lockbench::platform
