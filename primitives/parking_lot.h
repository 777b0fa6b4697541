// ParkingMutex: a mutex of one byte, whose waiters queue elsewhere.
//
// A lock that nobody waits for needs no room for a queue. So the queues of all such locks of the
// process lie in one table, found by the lock's address; the lock keeps a bit that says whether
// somebody is in it. Programs with millions of locks pay a byte for each.
//
// Guarantees   mutual exclusion between threads; timed acquisition; a waiter is passed over for
//              about a millisecond, and once it is the first of the queue, the lock is handed to
//              it; may be destroyed as soon as the last unlock() has let somebody else in.
// Not offered  FIFO order, ownership checks, recursion, use across fork() while held.
// Requires     unlock() by whoever holds it.
// Cost         two atomic read-modify-writes a pair when nobody else comes. Locks whose addresses
//              fall into one of the table's 256 buckets share that bucket's mutex while they park.
//
// Invariants
//   I1  a thread is queued under a lock's address only while the byte is kHeld | kParked, or a
//       wake-up from that queue is in flight. It queues under the bucket's mutex, after it has seen
//       the byte be so.
//   I2  whoever clears kParked or kHeld of a byte that has both holds the bucket's mutex, and keeps
//       kParked as long as the queue is not empty.
// Source       the descriptions of WTF::ParkingLot (F. Pizlo, "Locking in WebKit", 2016) and of
//              PyMutex (S. Gross, PEP 703, 2023); the time after which a waiter is served is the
//              latter's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "primitives/futex_mutex.h"
#include "primitives/internal/timed.h"
#include "primitives/internal/wait_queue.h"
#include "primitives/key.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/layout.h"
#include "primitives/platform/spin.h"

namespace lockbench {

namespace internal {

// The queues of all addresses at which threads of this process are parked.
class ParkingLot {
 public:
  struct Parked : Waiter {
    const void* address = nullptr;
  };

  enum class Wakening { kNotParked, kToldToLook, kGranted, kTimedOut };

  // Queues under `address` if `still_so()`, and sleeps until told otherwise. `since` is when the
  // wait began, of which this may be one of several stretches.
  template <class StillSo>
  Wakening park(const void* address, platform::Time since, platform::Time deadline,
                const StillSo& still_so) {
    Bucket& bucket = bucket_of(address);
    Parked self;
    {
      std::scoped_lock guard(bucket.mutex);
      if (!still_so()) return Wakening::kNotParked;
      self.address = address;
      bucket.queue.push_back(self);
      self.since = since;
    }
    if (await_signal(self, deadline)) return Wakening::kGranted;
    std::scoped_lock guard(bucket.mutex);
    // relaxed: signals are sent under the mutex, which this thread holds.
    const std::uint32_t signal = self.signal.load(std::memory_order_relaxed);
    if (signal == Waiter::kGranted) return Wakening::kGranted;
    if (signal == Waiter::kWoken) return Wakening::kToldToLook;
    bucket.queue.remove(self);
    return Wakening::kTimedOut;
  }

  // Takes the first thread out of the queue of `address`, and sends it what `decide` returns.
  // decide(first, more) is called under the bucket's mutex: the thread or null, and whether there
  // are others behind it.
  template <class Decide>
  void unpark_one(const void* address, const Decide& decide) {
    Bucket& bucket = bucket_of(address);
    PendingWake wake;
    {
      std::scoped_lock guard(bucket.mutex);
      Waiter* const first = first_at(address, bucket.queue.first());
      const bool more = first != nullptr && first_at(address, first->next) != nullptr;
      const Waiter::Signal signal = decide(first, more);
      if (first == nullptr) return;
      bucket.queue.remove(*first);
      wake.signal(*first, signal);
    }
    wake.deliver();
  }

 private:
  static constexpr std::size_t kBuckets = 256;

  struct alignas(platform::kCacheLine) Bucket {
    FutexMutex mutex;
    WaitQueue queue;
  };

  Bucket& bucket_of(const void* address) {
    return buckets_[index_below(kBuckets, KeyHash{}(reinterpret_cast<std::uintptr_t>(address)))];
  }

  static Waiter* first_at(const void* address, Waiter* from) {
    while (from != nullptr && static_cast<Parked*>(from)->address != address) from = from->next;
    return from;
  }

  std::array<Bucket, kBuckets> buckets_;
};

inline ParkingLot parking_lot;

}  // namespace internal

class ParkingMutex : public internal::TimedMembers<ParkingMutex> {
 public:
  ParkingMutex() = default;
  ParkingMutex(const ParkingMutex&) = delete;
  ParkingMutex& operator=(const ParkingMutex&) = delete;

  void lock() {
    if (!take_unwaited()) [[unlikely]]
      lock_slow(platform::kForever);
  }

  bool try_lock() {
    // relaxed: a hint; take() decides.
    std::uint8_t seen = state_.load(std::memory_order_relaxed);
    while ((seen & kHeld) == 0) {
      if (take(seen)) return true;
    }
    return false;
  }

  bool lock_before(platform::Time deadline) { return take_unwaited() || lock_slow(deadline); }

  void unlock() {
    std::uint8_t expected = kHeld;
    // (2) release: publishes the critical section to (1). relaxed on failure: unlock_slow() is
    // ordered by the bucket's mutex.
    if (!state_.compare_exchange_strong(expected, 0, std::memory_order_release,
                                        std::memory_order_relaxed)) [[unlikely]] {
      unlock_slow();
    }
  }

 private:
  enum State : std::uint8_t {
    // 0 free | 1 held | 2 free, threads parked or about to look | 3 held, threads parked
    kHeld = 1,
    kParked = 2,
  };

  static constexpr int kSpins = 80;  // about 2 us; see FutexMutex

  bool take_unwaited() {
    std::uint8_t expected = 0;
    // (1) acquire: synchronizes with (2) and (3). relaxed on failure: nothing is read on it.
    return state_.compare_exchange_strong(expected, kHeld, std::memory_order_acquire,
                                          std::memory_order_relaxed);
  }

  // From a state that is not held; `seen` is what it is when that fails.
  bool take(std::uint8_t& seen) {
    const auto held = static_cast<std::uint8_t>(seen | kHeld);
    return state_.compare_exchange_weak(seen, held, std::memory_order_acquire,
                                        std::memory_order_relaxed);  // (1)
  }

  [[gnu::noinline, gnu::cold]] bool lock_slow(platform::Time deadline) {
    if (spin()) return true;
    const platform::Time since = platform::now();
    for (;;) {
      // relaxed: a hint; what follows decides.
      std::uint8_t seen = state_.load(std::memory_order_relaxed);
      if ((seen & kHeld) == 0) {
        if (take(seen)) return true;
        continue;
      }
      // relaxed: it publishes nothing; park() looks again under the bucket's mutex.
      if (seen == kHeld &&
          !state_.compare_exchange_weak(seen, kHeld | kParked, std::memory_order_relaxed)) {
        continue;
      }
      using Wakening = internal::ParkingLot::Wakening;
      const Wakening wakening = internal::parking_lot.park(this, since, deadline, [this] {
        // relaxed: who leaves this state holds the bucket's mutex (I2), as this thread does.
        return state_.load(std::memory_order_relaxed) == (kHeld | kParked);
      });
      if (wakening == Wakening::kGranted) return true;
      if (wakening == Wakening::kTimedOut) return false;
    }
  }

  // Whether the lock came free soon.
  bool spin() {
    for (int i = 0; i < kSpins; ++i) {
      std::uint8_t seen = state_.load(std::memory_order_relaxed);  // relaxed: as above
      if ((seen & kHeld) == 0 && take(seen)) return true;
      if ((seen & kParked) != 0) return false;  // others sleep already: do not spin past them
      platform::pause();
    }
    return false;
  }

  [[gnu::noinline, gnu::cold]] void unlock_slow() {
    using internal::Waiter;
    internal::parking_lot.unpark_one(this, [this](const Waiter* first, bool more) {
      const std::uint8_t parked = more ? kParked : 0;
      if (first != nullptr && internal::WaitQueue::impatient(*first)) {
        // Handed over: it stays held. relaxed: the signal publishes the critical section.
        state_.store(static_cast<std::uint8_t>(kHeld | parked), std::memory_order_relaxed);
        return Waiter::kGranted;
      }
      state_.store(parked, std::memory_order_release);  // (3) release: as (2).
      return Waiter::kWoken;
    });
  }

  platform::Atomic<std::uint8_t> state_{0};
};
static_assert(sizeof(ParkingMutex) == 1);

}  // namespace lockbench
