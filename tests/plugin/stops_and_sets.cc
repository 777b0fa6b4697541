// SPDX-License-Identifier: Apache-2.0

// Locks whose waits end when a stop is requested, and a lock by key several of whose keys are
// acquired together. Each is correct, or has the fault that its name says.
#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdint>
#include <lockbench/plugin.h>
#include <mutex>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

namespace {

// As the standard library's condition variable has it.
class Stoppable {
 public:
  void lock() {
    std::unique_lock guard(mutex_);
    free_.wait(guard, [this] { return !held_; });
    held_ = true;
  }
  bool try_lock() {
    const std::lock_guard guard(mutex_);
    return !std::exchange(held_, true);
  }
  bool lock(std::stop_token stop) {
    std::unique_lock guard(mutex_);
    if (!free_.wait(guard, std::move(stop), [this] { return !held_; })) return false;
    return held_ = true;
  }
  void unlock() {
    {
      const std::lock_guard guard(mutex_);
      held_ = false;
    }
    free_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any free_;
  bool held_ = false;
};

enum class Fault { kNone, kWakesAnybody, kHoldsStopped };

// With a callback of its own.
template <Fault kFault>
class WithCallback {
 public:
  void lock() { lock(std::stop_token()); }
  bool try_lock() {
    const std::lock_guard guard(mutex_);
    return !std::exchange(held_, true);
  }
  bool lock(const std::stop_token& stop) {
    const std::stop_callback wake(stop, [this] {
      { const std::lock_guard guard(mutex_); }
      if (kFault == Fault::kWakesAnybody) {
        changed_.notify_one();
      } else {
        changed_.notify_all();
      }
    });
    std::unique_lock guard(mutex_);
    while (held_) {
      if (stop.stop_requested()) return false;
      changed_.wait(guard);
    }
    held_ = true;
    return kFault != Fault::kHoldsStopped || !stop.stop_requested();
  }
  void unlock() {
    {
      const std::lock_guard guard(mutex_);
      held_ = false;
    }
    changed_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool held_ = false;
};

// Each waiter sleeps by itself, and a release wakes the first of them. One that is stopped after it
// was woken wakes the next one in its place, unless the fault is that it does not.
template <bool kPassesWakeUpOn>
class WakesTheFirst {
 public:
  void lock() { lock(std::stop_token()); }
  bool try_lock() {
    const std::lock_guard guard(mutex_);
    return !std::exchange(held_, true);
  }
  bool lock(const std::stop_token& stop) {
    std::unique_lock guard(mutex_);
    while (std::exchange(held_, true)) {
      if (stop.stop_requested()) return false;
      Waiter own;
      waiters_.push_back(&own);
      {
        guard.unlock();
        const std::stop_callback wake(stop, [&] { stop_waiting(own); });
        guard.lock();
        own.changed.wait(guard, [&] { return own.woken || own.stopped; });
        guard.unlock();
      }
      guard.lock();
      if (!own.woken) std::erase(waiters_, &own);
      if (!own.stopped) continue;
      if (own.woken && kPassesWakeUpOn) wake_first();
      return false;
    }
    return true;
  }
  void unlock() {
    const std::lock_guard guard(mutex_);
    held_ = false;
    wake_first();
  }

 private:
  struct Waiter {
    std::condition_variable changed = {};
    bool woken = false;
    bool stopped = false;
  };

  void stop_waiting(Waiter& waiter) {
    const std::lock_guard guard(mutex_);
    waiter.stopped = true;
    waiter.changed.notify_one();
  }
  void wake_first() {
    if (waiters_.empty()) return;
    Waiter* const first = waiters_.front();
    waiters_.erase(waiters_.begin());
    first->woken = true;
    first->changed.notify_one();
  }

  std::mutex mutex_;
  std::vector<Waiter*> waiters_;
  bool held_ = false;
};

// A semaphore of two permits.
class TwoPermits {
 public:
  static constexpr lockbench::LockPromises kPromises{.capacity = 2};

  void lock() { lock(std::stop_token()); }
  bool try_lock() {
    const std::lock_guard guard(mutex_);
    return take();
  }
  bool lock(std::stop_token stop) {
    std::unique_lock guard(mutex_);
    return changed_.wait(guard, std::move(stop), [this] { return take(); });
  }
  void unlock() {
    {
      const std::lock_guard guard(mutex_);
      --holders_;
    }
    changed_.notify_one();
  }

 private:
  bool take() {
    if (holders_ == 2) return false;
    ++holders_;
    return true;
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  int holders_ = 0;
};

// Two leases, each with a number. The fault: who is stopped gives back the lease that it has not
// taken yet.
template <bool kGivesBackIfStopped>
class StoppedPool {
 public:
  static constexpr std::uint32_t kLeases = 2;
  static constexpr lockbench::LockPromises kPromises{.one_lock = true, .capacity = kLeases};

  class Handle {
   public:
    explicit Handle(StoppedPool& pool) : pool_(pool) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    void lock() { lock(std::stop_token()); }
    bool try_lock() {
      const std::lock_guard guard(pool_.mutex_);
      return take();
    }
    bool lock(std::stop_token stop) {
      std::unique_lock guard(pool_.mutex_);
      if (pool_.changed_.wait(guard, std::move(stop), [this] { return take(); })) return true;
      if (kGivesBackIfStopped) pool_.taken_[0] = false;
      return false;
    }
    void unlock() {
      {
        const std::lock_guard guard(pool_.mutex_);
        pool_.taken_[lease_] = false;
      }
      pool_.changed_.notify_one();
    }
    std::uint32_t lease() const { return lease_; }

   private:
    bool take() {
      for (std::uint32_t lease = 0; lease < kLeases; ++lease) {
        if (std::exchange(pool_.taken_[lease], true)) continue;
        lease_ = lease;
        return true;
      }
      return false;
    }

    StoppedPool& pool_;
    std::uint32_t lease_ = 0;
  };

  Handle handle(std::uint64_t) { return Handle(*this); }
  static constexpr std::uint32_t capacity() { return kLeases; }
  std::size_t lock_bytes() const { return sizeof *this; }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::array<bool, kLeases> taken_{};
};

// Mutexes, one of which is chosen by the key. Several are acquired in the order of their addresses,
// unless the fault is that they are not.
template <bool kInOrder>
class Mutexes {
 public:
  static constexpr lockbench::Promises kPromises{};

  class Set {
   public:
    explicit Set(std::vector<std::mutex*> mutexes) : mutexes_(std::move(mutexes)) {}
    Set(const Set&) = delete;
    Set& operator=(const Set&) = delete;

    void lock() {
      for (std::mutex* const one : mutexes_) one->lock();
    }
    bool try_lock() {
      for (std::size_t i = 0; i < mutexes_.size(); ++i) {
        if (mutexes_[i]->try_lock()) continue;
        while (i > 0) mutexes_[--i]->unlock();
        return false;
      }
      return true;
    }
    void unlock() {
      for (std::mutex* const one : mutexes_) one->unlock();
    }

   private:
    const std::vector<std::mutex*> mutexes_;
  };

  Set handle(std::uint64_t key) { return Set({&mutex_of(key)}); }
  Set handle_all(std::span<const std::uint64_t> keys) {
    std::vector<std::mutex*> mutexes;
    for (const std::uint64_t key : keys) {
      std::mutex* const one = &mutex_of(key);
      const bool is_new = std::find(mutexes.begin(), mutexes.end(), one) == mutexes.end();
      if (is_new) mutexes.push_back(one);
    }
    if (kInOrder) std::sort(mutexes.begin(), mutexes.end());
    return Set(std::move(mutexes));
  }
  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this; }

 private:
  std::mutex& mutex_of(std::uint64_t key) { return mutexes_[key % mutexes_.size()]; }

  std::array<std::mutex, 5> mutexes_;
};

}  // namespace

LOCKBENCH_PLUGIN(locks) {
  locks.add_alone<Stoppable>("stoppable", "a condition variable that takes a stop token");
  locks.add_alone<WithCallback<Fault::kNone>>("callback", "a callback wakes who is stopped");
  locks.add_alone<WithCallback<Fault::kWakesAnybody>>("callback_wakes_anybody",
                                                      "a callback wakes one thread, whichever");
  locks.add_alone<WithCallback<Fault::kHoldsStopped>>(
      "callback_holds_stopped", "who is stopped as it acquires says that it failed");
  locks.add_alone<WakesTheFirst<true>>("wakes_the_first", "who is stopped passes a wake-up on");
  locks.add_alone<WakesTheFirst<false>>("wakes_the_stopped", "who is stopped keeps a wake-up");
  locks.add_alone<TwoPermits>("two_permits", "a semaphore of two permits");
  locks.add<StoppedPool<false>>("stopped_pool", "two leases, whose numbers the holders know");
  locks.add<StoppedPool<true>>("stopped_pool_frees", "who is stopped frees the first lease");
  locks.add<Mutexes<true>>("mutexes", "several keys are acquired in one order");
  locks.add<Mutexes<false>>("mutexes_as_named", "several keys are acquired as they are named");
}
