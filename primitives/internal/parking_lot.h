// SPDX-License-Identifier: Apache-2.0

// ParkingLot: the queues of threads that wait for locks of one type, found by the lock's address.
//
// A lock without waiters needs no memory for a queue: the queues of all these locks are in one
// table. What a lock knows of its own queue it keeps in bits of its own. It changes them under the
// bucket's mutex, in the functions that it passes to the lot.
//
// Guarantees   a thread that is parked under an address uses the lock of that type there, so the
//              lock exists; only the functions that a lock passes access a lock.
// Cost         addresses that fall into one bucket share its mutex and its queue while they park.
//
// Invariants, all under the bucket's mutex
//   I1  a Waiter is in the queue from park() until unpark_one() grants it the lock, or until it
//   runs
//       after a wake-up, or until its deadline.
// Source       the description of WTF::ParkingLot (F. Pizlo, "Locking in WebKit", 2016).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

#include "primitives/futex_mutex.h"
#include "primitives/internal/handovers.h"
#include "primitives/internal/wait_queue.h"
#include "primitives/key.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/layout.h"
#include "primitives/platform/thread.h"

namespace lockbench::internal {

class [[gnu::visibility("default")]] ParkingLot {
 public:
  static constexpr std::size_t kBuckets = platform::table_size(256);

  enum class Wakening { kNotParked, kToldToLook, kGranted, kTimedOut };
  enum class Position { kLast, kFirst };

  // The lot of one type of lock. Types do not share one: an unlock() may look up its address after
  // the lock was destroyed and another lock was made in its place, and must not find the threads
  // that wait for a lock with another layout.
  template <class Lock>
  static ParkingLot& of() {
    return platform::of_this_process<LotOf<Lock>>();
  }

  // The bucket of an address, below kBuckets.
  static std::size_t bucket_of(const void* address) {
    const std::uint64_t bits = reinterpret_cast<std::uintptr_t>(address);
    return index_below(kBuckets, bits * kOddB);
  }

  // Queues under `address` if `still_so()`, and sleeps until it is signalled. `since` is when the
  // wait began; this call may be one of its several parts. `on_time_out(others)` is called when
  // the deadline took it out of the queue: whether others remain there for the address.
  template <class StillSo, class OnTimeOut>
  Wakening park(const void* address, platform::Time since, platform::Time deadline,
                Position position, const StillSo& still_so, const OnTimeOut& on_time_out,
                Spun spun = Spun::kYes) {
    Bucket& bucket = buckets_[bucket_of(address)];
    Parked self;
    {
      std::scoped_lock guard(bucket.mutex);
      if (!still_so()) return Wakening::kNotParked;
      self.address = address;
      if (position == Position::kFirst) {
        self.since = since;
        bucket.queue.push_front(self);
      } else {
        bucket.queue.push_back(self, since);
      }
    }
    if (await_signal(self, deadline, spun)) return granted(address, self);
    std::scoped_lock guard(bucket.mutex);
    // relaxed: signals are sent under the mutex, which this thread holds.
    const std::uint32_t signal = self.signal.load(std::memory_order_relaxed);
    if (signal == Waiter::kGranted) return granted(address, self);
    bucket.queue.remove(self);
    if (signal == Waiter::kWoken) return Wakening::kToldToLook;
    on_time_out(first_at(address, bucket.queue.first()) != nullptr);
    return Wakening::kTimedOut;
  }

  template <class StillSo>
  Wakening park(const void* address, platform::Time since, platform::Time deadline,
                Position position, const StillSo& still_so) {
    return park(address, since, deadline, position, still_so, [](bool) {});
  }

  // Sends the first thread in the queue of `address` what `decide` returns, if that is something. A
  // thread that was granted the lock leaves the queue, a woken one once it runs. decide(first,
  // more) is called under the bucket's mutex: the thread or null, and whether there are others
  // behind it.
  template <class Decide>
  void unpark_one(const void* address, const Decide& decide) {
    Bucket& bucket = buckets_[bucket_of(address)];
    PendingWake wake;
    {
      std::scoped_lock guard(bucket.mutex);
      Waiter* const first = first_at(address, bucket.queue.first());
      const bool more = first != nullptr && first_at(address, first->next) != nullptr;
      const std::optional<Waiter::Signal> signal = decide(first, more);
      if (first == nullptr || !signal) return;
      if (*signal == Waiter::kGranted) bucket.queue.remove(*first);
      wake.signal(*first, *signal);
    }
    wake.deliver();
  }

  // Does `action` under the mutex of the address's bucket, if no thread is parked there, under
  // whatever address.
  template <class Action>
  void if_empty(const void* address, const Action& action) {
    Bucket& bucket = buckets_[bucket_of(address)];
    std::scoped_lock guard(bucket.mutex);
    if (bucket.queue.empty()) action();
  }

 private:
  template <class Lock>
  struct LotOf;

  struct Parked : Waiter {
    const void* address = nullptr;
  };

  struct alignas(platform::kCacheLine) Bucket {
    FutexMutex mutex;
    WaitQueue queue;
  };

  static Wakening granted(const void* address, const Waiter& self) {
    Handovers::of_process().taken(address, self.since, platform::now());
    return Wakening::kGranted;
  }

  static Waiter* first_at(const void* address, Waiter* from) {
    while (from != nullptr && static_cast<Parked*>(from)->address != address) from = from->next;
    return from;
  }

  std::array<Bucket, kBuckets> buckets_;
};

template <class Lock>
struct ParkingLot::LotOf : ParkingLot {};

}  // namespace lockbench::internal
