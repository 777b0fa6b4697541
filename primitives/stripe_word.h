// SPDX-License-Identifier: Apache-2.0

// StripeWord: up to 63 locks that are bits of one word; a key's hash chooses one, and any number of
// keys are taken in one atomic step.
//
// For transactions of several keys: four keys cost as much as one, no thread ever holds only a part
// of its keys, and so no order of keys is needed. For threads that use different keys, one at a
// time, it is the wrong choice, since all of them change the one word: the stripes of StripedLock
// are on different cache lines.
//
// Guarantees   mutual exclusion between threads per key; memory fixed, whatever the number of keys;
//              several keys at once without deadlock; timed acquisition. Other threads may
//              overtake a waiter for about ten milliseconds; from then on its stripes are reserved
//              for it as they become free, so that a thread that wants many keys does not starve.
// Not offered  independence of keys: two keys of one stripe wait for each other. A thread that
//              holds a handle must not lock a second one, whose keys may share its stripes: take
//              all keys by one handle. It must not be destroyed before unlock() has returned
//              in every thread.
// Requires     the rules for handles in concepts.h.
// fork()       not while a thread holds or waits for any key, if the child uses the primitive.
// Cost         two atomic read-modify-writes a pair, and a hash for each key. While a thread waits,
//              releases lock a mutex and look at the queue.
//
// Invariants
//   I1  a bit of held_ is set exactly while a thread holds that stripe, or while it is reserved
//       for the queue head.
//   I2  kParked is set exactly while the queue is not empty; both change under mutex_. A release
//       that leaves it set locks the mutex afterwards and serves the queue.
//   I3  whenever mutex_ is free: consider the waiters whose stripes are all free and not wanted by
//       an earlier waiter that was woken. The first of them has been woken, or a woken thread or a
//       release has yet to serve the queue.
//   I4  only the queue head has stripes reserved for it.
// Source       the word of stripes is ours; the waiting is that of lease_pool.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string_view>

#include "primitives/concepts.h"
#include "primitives/futex_mutex.h"
#include "primitives/internal/misuse.h"
#include "primitives/internal/timed.h"
#include "primitives/internal/wait_queue.h"
#include "primitives/key.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/layout.h"
#include "primitives/platform/spin.h"

namespace lockbench {

template <class Hash = KeyHash>
class BasicStripeWord {
 public:
  static constexpr Promises kPromises{.timed = true};
  static constexpr std::size_t kMostStripes = 63;

  class Handle;

  // `stripes`: 1 to kMostStripes; else throws std::invalid_argument.
  explicit BasicStripeWord(std::size_t stripes = kMostStripes) : count_(stripes) {
    internal::require_argument(stripes != 0 && stripes <= kMostStripes,
                               "StripeWord: there must be 1 to 63 stripes");
  }

  // One key, or several at once, be they numbers, strings or composite keys.
  template <class... Keys>
  Handle handle(const Keys&... keys) requires(sizeof...(Keys) > 0) {
    return Handle(*this, (bit_of(keys) | ...));
  }

  // The same under the names that StripedLock has for them.
  template <class K>
  Handle handle_both(K a, K b) {
    return handle(a, b);
  }
  template <class... Keys>
  Handle handle_all(const Keys&... keys) requires(sizeof...(Keys) > 0) {
    return handle(keys...);
  }

  // For a number of keys that only the program's run knows; none at all is taken at once.
  template <class K>
  Handle handle_all(std::span<const K> keys) {
    std::uint64_t wanted = 0;
    for (const K& key : keys) wanted |= bit_of(key);
    return Handle(*this, wanted);
  }

  // Index of the key's stripe, below stripes().
  std::size_t stripe_of(std::uint64_t key) const {
    return index_below(count_, spread_hash<Hash>(key));
  }
  std::size_t stripe_of(std::string_view key) const {
    return index_below(count_, spread_hash<Hash>(key));
  }
  std::size_t stripe_of(CompositeKey key) const { return index_below(count_, key.hash); }
  std::size_t stripe_of(Fractional auto key) const = delete;

  std::size_t stripes() const { return count_; }
  static constexpr std::uint32_t capacity() { return 1; }
  static constexpr std::size_t lock_bytes() { return sizeof(BasicStripeWord); }

 private:
  static constexpr std::uint64_t kParked = 1ULL << 63;

  struct Taker : internal::Waiter {
    bool held = false;           // reserved in debug builds only
    std::uint64_t wanted = 0;    // stripes
    std::uint64_t reserved = 0;  // its stripes that are reserved for it (I4)
  };

  template <class K>
  std::uint64_t bit_of(const K& key) const {
    return 1ULL << stripe_of(key);
  }

  bool take(std::uint64_t wanted) {
    // relaxed: the exchange decides.
    std::uint64_t seen = held_.load(std::memory_order_relaxed);
    do {
      if ((seen & wanted) != 0) return false;
      // (1) acquire: synchronizes with (2), the releases by earlier holders.
      // Others that changed the word since then did so by read-modify-writes, which carry them on.
    } while (!held_.compare_exchange_weak(seen, seen | wanted, std::memory_order_acquire,
                                          std::memory_order_relaxed));
    return true;
  }

  void release(std::uint64_t wanted) {
    // relaxed: a hint; the way that does without the mutex looks again.
    if ((held_.load(std::memory_order_relaxed) & kParked) != 0) [[unlikely]] {
      release_parked(wanted);
      return;
    }
    // (2) release: publishes the critical section to (1).
    if ((held_.fetch_and(~wanted, std::memory_order_release) & kParked) != 0) [[unlikely]] {
      serve_queue();
    }
  }

  [[gnu::noinline, gnu::cold]] bool acquire_slow(Taker& taker, platform::Time deadline) {
    platform::Time since{};
    if (spin(taker.wanted, deadline, since)) return true;
    {
      std::scoped_lock guard(mutex_);
      if (take_or_park(taker.wanted)) return true;
      taker.reserved = 0;
      queue_.push_back(taker, since);
    }
    return wait(taker, deadline);
  }

  // Returns whether the stripes were released soon.
  bool spin(std::uint64_t wanted, platform::Time deadline, platform::Time& since) {
    using internal::AdaptiveSpin;
    AdaptiveSpin& spin_state = AdaptiveSpin::of_thread();
    return spin_state.should_spin() &&
           spin_state.note(
               spin_state.spin_until([this, wanted] { return take(wanted); }, deadline, since));
  }

  // In one step; under the mutex.
  bool take_or_park(std::uint64_t wanted) {
    // relaxed: the exchange decides.
    std::uint64_t seen = held_.load(std::memory_order_relaxed);
    for (;;) {
      const bool free = (seen & wanted) == 0;
      // acquire: as (1).
      if (held_.compare_exchange_weak(seen, seen | (free ? wanted : kParked),
                                      std::memory_order_acquire, std::memory_order_relaxed)) {
        return free;
      }
    }
  }

  bool wait(Taker& taker, platform::Time deadline) {
    for (;;) {
      internal::await_signal(taker, deadline, internal::Spun::kYes);
      internal::PendingWake wake;
      const Look look = look_again(taker, deadline, wake);
      wake.deliver();
      if (look != Look::kWaits) return look == Look::kHas;
    }
  }

  enum class Look { kHas, kWaits, kGaveUp };

  Look look_again(Taker& taker, platform::Time deadline, internal::PendingWake& wake) {
    std::scoped_lock guard(mutex_);
    Look look = Look::kHas;
    // relaxed: signals are sent under the mutex, which this thread holds.
    if (taker.signal.load(std::memory_order_relaxed) != internal::Waiter::kGranted) {
      if (take(taker.wanted & ~taker.reserved)) {
        leave_queue(taker);
      } else if (platform::now() >= deadline) {
        // release: as (2), for what was reserved for this thread.
        held_.fetch_and(~taker.reserved, std::memory_order_release);
        leave_queue(taker);
        look = Look::kGaveUp;
      } else {
        // relaxed: signals are sent under the mutex, which this thread holds.
        taker.signal.store(internal::Waiter::kSpinning, std::memory_order_relaxed);
        look = Look::kWaits;
      }
    }
    serve(wake);  // the woken thread may not be the only one that can take its stripes (I3)
    return look;
  }

  // Under the mutex.
  void leave_queue(Taker& taker) {
    queue_.remove(taker);
    // relaxed: it publishes nothing; the next thread that sets it holds the mutex after this one.
    if (queue_.empty()) held_.fetch_and(~kParked, std::memory_order_relaxed);
  }

  [[gnu::noinline]] void release_parked(std::uint64_t wanted) {
    internal::PendingWake wake;
    {
      std::scoped_lock guard(mutex_);
      std::uint64_t reserved = 0;
      if (internal::Waiter* const first = queue_.first();
          first != nullptr && internal::WaitQueue::starving(*first)) {
        auto& successor = static_cast<Taker&>(*first);
        reserved = wanted & successor.wanted;
        successor.reserved |= reserved;
      }
      held_.fetch_and(~(wanted & ~reserved), std::memory_order_release);  // (2)
      serve(wake);
    }
    wake.deliver();
  }

  [[gnu::noinline, gnu::cold]] void serve_queue() {
    internal::PendingWake wake;
    {
      std::scoped_lock guard(mutex_);
      serve(wake);
    }
    wake.deliver();
  }

  // Under the mutex: keeps for an starving first waiter what is free of its stripes, and grants
  // when that is all; then tells the first of those who can go on.
  void serve(internal::PendingWake& wake) {
    internal::Waiter* const first = queue_.first();
    if (first == nullptr) return;
    auto& queue_head = static_cast<Taker&>(*first);
    if (internal::WaitQueue::starving(queue_head)) {
      reserve_free(queue_head);
      if (queue_head.reserved == queue_head.wanted) {
        leave_queue(queue_head);
        wake.signal(queue_head, internal::Waiter::kGranted);
        return;  // it serves the queue itself, once it runs
      }
    }
    wake_first_that_can_take(wake);
  }

  void reserve_free(Taker& successor) {
    // relaxed: the exchange decides.
    std::uint64_t seen = held_.load(std::memory_order_relaxed);
    std::uint64_t free = 0;
    do {
      free = successor.wanted & ~successor.reserved & ~seen;
      // acquire: as (1); the successor's signal, or the mutex, carries it on.
    } while (!held_.compare_exchange_weak(seen, seen | free, std::memory_order_acquire,
                                          std::memory_order_relaxed));
    successor.reserved |= free;
  }

  void wake_first_that_can_take(internal::PendingWake& wake) {
    // relaxed: a hint; woken threads look for themselves.
    std::uint64_t taken = held_.load(std::memory_order_relaxed) & ~kParked;
    for (internal::Waiter* waiter = queue_.first(); waiter != nullptr; waiter = waiter->next) {
      const auto& taker = static_cast<const Taker&>(*waiter);
      const std::uint64_t lacks = taker.wanted & ~taker.reserved;
      if ((taken & lacks) != 0) continue;
      if (waiter->signal.load(std::memory_order_relaxed) != internal::Waiter::kWoken) {
        wake.signal(*waiter, internal::Waiter::kWoken);
        return;
      }
      taken |= lacks;  // it is on its way to them
    }
  }

  alignas(platform::kCacheLine) platform::Atomic<std::uint64_t> held_{0};  // I1, and kParked
  const std::size_t count_;
  alignas(platform::kCacheLine) FutexMutex mutex_;
  internal::WaitQueue queue_;
};

template <class Hash>
class BasicStripeWord<Hash>::Handle : public internal::TimedMembers<Handle> {
 public:
  Handle(BasicStripeWord& owner, std::uint64_t wanted) : owner_(owner) { taker_.wanted = wanted; }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  ~Handle() {
    internal::check_use([this] { return !taker_.held; },
                        "StripeWord: a handle is destroyed while it holds its keys");
  }

  void lock() { lock_before(platform::kForever); }
  bool try_lock() {
    check_not_held();
    return note_held(owner_.take(taker_.wanted));
  }
  bool lock_before(platform::Time deadline) {
    check_not_held();
    return note_held(owner_.take(taker_.wanted) || owner_.acquire_slow(taker_, deadline));
  }
  void unlock() {
    internal::check_use([this] { return taker_.held; },
                        "StripeWord: unlock() of a handle that holds no keys");
    note_held(false);
    owner_.release(taker_.wanted);
  }

 private:
  void check_not_held() const {
    internal::check_use([this] { return !taker_.held; },
                        "StripeWord: lock() of a handle that holds its keys");
  }

  bool note_held(bool held) {
    if constexpr (internal::kChecksUse) taker_.held = held;
    return held;
  }

  BasicStripeWord& owner_;
  Taker taker_;
};

using StripeWord = BasicStripeWord<>;

}  // namespace lockbench
