// SPDX-License-Identifier: Apache-2.0

// StoppedWaits: the form of a lock whose waits end when a stop is requested, as a lock with
// timeouts, so that the engines can check it. A stop is requested when the timeout of a call is
// over.
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "harness/stress/lock_adapter.h"
#include "harness/stress/wrapped_members.h"
#include "primitives/concepts.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/mutex.h"
#include "primitives/platform/stop.h"
#include "primitives/platform/thread.h"

namespace lockbench {

// A lock, or a handle, that waits until it is acquired or a stop is requested: then false.
template <class L, class Token>
concept StoppedBy = requires(L& lock, const Token& stop) {
  { lock.lock(stop) } -> std::same_as<bool>;
};

template <class L, class Token>
concept SharedStoppedBy = StoppedBy<L, Token> && SharedLockable<L> &&
    requires(L& lock, const Token& stop) {
  { lock.lock_shared(stop) } -> std::same_as<bool>;
};

// Requests stops, each at a time that was agreed on, in a thread of its own.
template <class Source>
class StopsInTime {
 public:
  // A stop, until the end of this object.
  class Appointment {
   public:
    Appointment(StopsInTime& stops, platform::Time due) : stops_(stops), due_(due) {
      stops_.add(*this);
    }
    ~Appointment() { stops_.remove(*this); }
    Appointment(const Appointment&) = delete;
    Appointment& operator=(const Appointment&) = delete;

    auto token() const { return source_.get_token(); }

   private:
    friend class StopsInTime;

    StopsInTime& stops_;
    const platform::Time due_;
    Source source_;
  };

  ~StopsInTime() {
    {
      const std::lock_guard guard(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

 private:
  void add(Appointment& appointment) {
    {
      const std::lock_guard guard(mutex_);
      pending_.push_back(&appointment);
      // Here, since most programs have no timeouts.
      if (!thread_.joinable()) thread_ = platform::Thread([this] { run(); });
    }
    changed_.notify_all();
  }

  // Waits for a request that is under way.
  void remove(Appointment& appointment) {
    const std::lock_guard guard(mutex_);
    std::erase(pending_, &appointment);
  }

  void run() {
    std::unique_lock lock(mutex_);
    while (!ends_) {
      const auto next = std::min_element(
          pending_.begin(), pending_.end(),
          [](const Appointment* a, const Appointment* b) { return a->due_ < b->due_; });
      if (next == pending_.end()) {
        changed_.wait(lock);
      } else if (platform::now() < (*next)->due_) {
        changed_.wait_until(lock, (*next)->due_);
      } else {
        Appointment* const due = *next;
        pending_.erase(next);
        due->source_.request_stop();
      }
    }
  }

  platform::Mutex mutex_;
  platform::ConditionVariable changed_;
  std::vector<Appointment*> pending_;
  bool ends_ = false;
  platform::Thread thread_;
};

// `Source`: of the tokens that the lock takes.
template <class P, class Source = platform::StopSource>
class StoppedWaits {
  using Stops = StopsInTime<Source>;
  using Token = decltype(std::declval<Source>().get_token());

  template <class Inner>
  class HandleOver;

 public:
  using Wrapped = P;
  // For several keys together, the form is the other way about: StoppedWaits<SeveralKeys<P>>. A
  // timeout of the lock's own is tested in the lock itself.
  static constexpr Members kLeftOut =
      members::kKeysTogether | members::kStops | members::kSharedStops;
  static constexpr bool kSmallKeys = stress::has_small_keys<P>();
  static constexpr bool kKeepsIdleKeys = stress::keeps_idle_keys<P>();
  static constexpr bool kLastMayDestroy = stress::last_may_destroy<P>();
  static constexpr auto kPromises = [] {
    auto promises = P::kPromises;
    promises.timed = true;
    return promises;
  }();

  using Handle = HandleOver<HandleOf<P>>;

  template <class... Arguments>
  requires stress::kMadeFrom<P, Arguments...>
  explicit StoppedWaits(Arguments... arguments) : lock_(arguments...) {}

  Handle handle(std::uint64_t key) {
    return Handle(stops_, [&] { return lock_.handle(key); });
  }
  auto handle_both(std::uint64_t a, std::uint64_t b) requires PairLock<P> {
    using Both = HandleOver<decltype(lock_.handle_both(a, b))>;
    return Both(stops_, [&] { return lock_.handle_both(a, b); });
  }
  std::uint32_t capacity() const { return lock_.capacity(); }
  std::size_t lock_bytes() const { return lock_.lock_bytes(); }
  std::size_t keys_kept() const requires CountsKeys<P> { return lock_.keys_kept(); }

 private:
  P lock_;
  Stops stops_;
};

template <class P, class Source>
template <class Inner>
class StoppedWaits<P, Source>::HandleOver {
 public:
  // `make` returns the handle of the lock. It cannot be moved.
  template <class Make>
  HandleOver(Stops& stops, const Make& make) : stops_(stops), handle_(make()) {}
  HandleOver(const HandleOver&) = delete;
  HandleOver& operator=(const HandleOver&) = delete;

  void lock() { handle_.lock(); }
  bool try_lock() { return handle_.try_lock(); }
  bool try_lock_for(std::chrono::nanoseconds timeout) requires StoppedBy<Inner, Token> {
    const typename Stops::Appointment stop(stops_, platform::now() + timeout);
    return handle_.lock(stop.token());
  }
  void unlock() { handle_.unlock(); }

  void lock_shared() requires SharedLockable<Inner> { handle_.lock_shared(); }
  bool try_lock_shared() requires SharedLockable<Inner> { return handle_.try_lock_shared(); }
  bool try_lock_shared_for(std::chrono::nanoseconds timeout) requires
      SharedStoppedBy<Inner, Token> {
    const typename Stops::Appointment stop(stops_, platform::now() + timeout);
    return handle_.lock_shared(stop.token());
  }
  void unlock_shared() requires SharedLockable<Inner> { handle_.unlock_shared(); }

  std::uint32_t lease() const requires requires(const Inner& handle) { handle.lease(); }
  { return handle_.lease(); }
  std::uint64_t token() const requires requires(const Inner& handle) { handle.token(); }
  { return handle_.token(); }
  bool is_locked() const requires requires(const Inner& handle) { handle.is_locked(); }
  { return handle_.is_locked(); }
  bool is_held_by_this_thread() const requires requires(const Inner& handle) {
    handle.is_held_by_this_thread();
  }
  { return handle_.is_held_by_this_thread(); }

 private:
  Stops& stops_;
  Inner handle_;
};

}  // namespace lockbench
