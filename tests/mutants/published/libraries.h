// SPDX-License-Identifier: Apache-2.0

// Published faults of locks for tasks that are not threads of the system (the fibers of folly, the
// goroutines of Go), written anew for threads from their reports, each in the version with the
// fault and in the one after it.
#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <stdexcept>

#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/futex.h"
#include "primitives/platform/mutex.h"
#include "primitives/platform/thread.h"
#include "tests/mutants/bases.h"

namespace lockbench::mutants::published {

// An object that one thread waits for and another one posts, once.
class Baton {
 public:
  void post() {
    // release: publishes to wait() what this thread did before.
    posted_.store(1, std::memory_order_release);
    platform::futex_wake(posted_, 1);
  }
  void wait() {
    while (posted_.load(std::memory_order_acquire) == 0) platform::futex_wait(posted_, 0);
  }

 private:
  platform::FutexWord posted_{0};
};

enum class TokensFault {
  kNone,
  kExchangesZero,  // takes a token though it read that there is none
  kRelaxedSignal,  // gives one back without publishing what was done before
};

// folly's semaphore for fibers, with one token. wait() reads the number of tokens. If it is 0, it
// looks again under the lock of the list; if a token is there by then, it goes on. The version with
// the fault goes on with the 0 that it read before: where another thread has taken the token
// meanwhile, the exchange of 0 for -1 succeeds.
// Source  folly, commit 43ea7bf4, "Fix a race in fibers::Semaphore", 2018; the version after it
//         reads the number anew. kRelaxedSignal: the version before commit 611cfd85, 2024.
// Difference  the original's exchange in wait() does not acquire, which is not what these commits
//         are about; here it does.
template <TokensFault kFault>
class TokenSemaphore {
 public:
  void lock() {
    std::int64_t seen = tokens_.load(std::memory_order_acquire);
    do {
      while (seen == 0) {
        if (waits_for_baton()) return;
        if (kFault == TokensFault::kExchangesZero) break;
        seen = tokens_.load(std::memory_order_acquire);
      }
      // acq_rel: synchronizes with whoever gave the token back.
    } while (!tokens_.compare_exchange_weak(seen, seen - 1, std::memory_order_acq_rel,
                                            std::memory_order_acquire));
  }

  bool try_lock() {
    std::int64_t seen = tokens_.load(std::memory_order_acquire);
    while (seen > 0) {
      if (tokens_.compare_exchange_weak(seen, seen - 1, std::memory_order_acq_rel,
                                        std::memory_order_acquire)) {
        return true;
      }
    }
    return false;
  }

  void unlock() {
    std::int64_t seen = tokens_.load(std::memory_order_acquire);
    do {
      while (seen == 0) {
        if (signals_under_lock()) return;
        if (kFault == TokensFault::kExchangesZero) break;
        seen = tokens_.load(std::memory_order_acquire);
      }
    } while (!tokens_.compare_exchange_weak(seen, seen + 1, std::memory_order_release,
                                            std::memory_order_acquire));
  }

 private:
  // False if there is a token by now.
  bool waits_for_baton() {
    Baton mine;
    {
      const std::scoped_lock guard(list_);
      if (tokens_.load(std::memory_order_acquire) != 0) return false;
      waiters_.push_back(&mine);
    }
    mine.wait();
    return true;
  }

  // False if there is a token by now. A waiter gets the token without its being counted.
  bool signals_under_lock() {
    const std::scoped_lock guard(list_);
    if (tokens_.load(std::memory_order_acquire) != 0) return false;
    if (waiters_.empty()) {
      tokens_.store(1, kFault == TokensFault::kRelaxedSignal ? std::memory_order_relaxed
                                                             : std::memory_order_release);
      return true;
    }
    Baton& first = *waiters_.front();
    waiters_.pop_front();
    first.post();
    return true;
  }

  platform::Atomic<std::int64_t> tokens_{1};
  platform::Mutex list_;
  std::list<Baton*> waiters_;
};

// folly's mutex for fibers and threads: a release hands it to the first fiber that waits. Until
// that fiber runs, a thread may steal it, and the fiber then waits again. In the version with the
// fault such a fiber also forgets who has been notified. If that is another fiber by now, it takes
// itself for robbed, too, and all wait for a mutex that nobody holds. Source  folly, commit
// 47d37c8e, "Fix deadlock in TimedMutex", 2017; the version after it forgets
//         itself alone.
// Difference  the thread that asks first stands for a thread, all others for fibers.
template <bool kFixed>
class FiberMutex : public MutexAndFlag {
 public:
  void lock() {
    while (!acquires()) {
    }
  }

  void unlock() {
    const std::scoped_lock guard(mutex_);
    if (!threads_.empty()) {
      Baton& next = *threads_.front();
      threads_.pop_front();
      next.post();
    } else if (!fibers_.empty()) {
      notified_ = fibers_.front();
      fibers_.pop_front();
      notified_->post();
    } else {
      held_ = false;
    }
  }

 private:
  // False if a thread stole it from this fiber.
  bool acquires() {
    Baton mine;
    bool on_fiber = false;
    {
      const std::scoped_lock guard(mutex_);
      on_fiber = is_fiber();
      if (!held_) return held_ = true;
      if (!on_fiber && notified_ != nullptr) {
        notified_ = nullptr;
        return true;
      }
      (on_fiber ? fibers_ : threads_).push_back(&mine);
    }
    mine.wait();
    if (!on_fiber) return true;
    const std::scoped_lock guard(mutex_);
    const bool stolen = notified_ != &mine;
    if (!kFixed || !stolen) notified_ = nullptr;
    return !stolen;
  }

  // Under mutex_.
  bool is_fiber() {
    if (thread_ == platform::kNoThread) thread_ = platform::this_thread();
    return thread_ != platform::this_thread();
  }

  Baton* notified_ = nullptr;  // the fiber that was handed the mutex and has not run yet
  std::list<Baton*> fibers_;
  std::list<Baton*> threads_;
  platform::ThreadToken thread_ = platform::kNoThread;
};

// Go's sync.Mutex as of Go 1.9, on the semaphore that GopherJS put under it. A release of the
// semaphore counts up and wakes a waiter, which counts down when it runs. In the version with the
// fault, whoever comes in between counts down first. The waiter goes on all the same: it takes the
// mark that says that a waiter was woken for its own, and the count is below zero.
// Source  GopherJS, github.com/gopherjs/gopherjs issue 736 ("sync: inconsistent mutex state") and
//         pull request 737, 2018; the version after it counts those that were woken, too.
// Difference  without the spinning before a sleep. The original's atomic operations are
// sequentially
//         consistent, and so are these.
template <bool kFixed>
class GoMutex {
 public:
  void lock() {
    std::int32_t free = 0;
    if (!state_.compare_exchange_strong(free, kLocked)) wait();
  }

  bool try_lock() {
    std::int32_t seen = state_.load();
    while ((seen & (kLocked | kStarving)) == 0) {
      if (state_.compare_exchange_strong(seen, seen | kLocked)) return true;
    }
    return false;
  }

  void unlock() {
    std::int32_t seen = state_.fetch_sub(kLocked) - kLocked;
    if (seen == 0) return;
    if ((seen & kStarving) != 0) return semaphore_.release();  // handed to the first waiter
    while (seen >> kShift != 0 && (seen & (kLocked | kWoken | kStarving)) == 0) {
      if (state_.compare_exchange_strong(seen, (seen - kWaiter) | kWoken)) {
        return semaphore_.release();
      }
    }
  }

 private:
  // bit 0: held | bit 1: a waiter was woken | bit 2: handed over, not competed for | the rest:
  // number of waiters
  static constexpr std::int32_t kLocked = 1;
  static constexpr std::int32_t kWoken = 2;
  static constexpr std::int32_t kStarving = 4;
  static constexpr int kShift = 3;
  static constexpr std::int32_t kWaiter = 1 << kShift;
  static constexpr std::chrono::milliseconds kPatience{1};

  class Semaphore {
   public:
    void acquire(bool before_all_others) {
      std::unique_lock guard(mutex_);
      if (count_ - (kFixed ? woken_ : 0) == 0) {
        Waiter self;
        waiters_.insert(before_all_others ? waiters_.begin() : waiters_.end(), &self);
        while (!self.woken) self.told.wait(guard);
        --woken_;
      }
      --count_;
    }

    void release() {
      const std::scoped_lock guard(mutex_);
      ++count_;
      if (waiters_.empty()) return;
      ++woken_;
      waiters_.front()->woken = true;
      waiters_.front()->told.notify_one();
      waiters_.pop_front();
    }

   private:
    struct Waiter {
      bool woken = false;
      platform::ConditionVariable told;
    };

    platform::Mutex mutex_;
    std::list<Waiter*> waiters_;
    std::uint32_t count_ = 0;
    std::uint32_t woken_ = 0;  // those that were woken and have not counted down yet
  };

  void wait() {
    std::optional<platform::Time> began;
    bool starving = false;
    bool awoke = false;
    std::int32_t seen = state_.load();
    for (;;) {
      if (!state_.compare_exchange_strong(seen, next_state(seen, starving, awoke))) continue;
      if ((seen & (kLocked | kStarving)) == 0) return;
      const bool waited_before = began.has_value();
      if (!began) began = platform::now();
      semaphore_.acquire(waited_before);
      starving = starving || platform::now() - *began > kPatience;
      seen = state_.load();
      if ((seen & kStarving) != 0) return take_over(seen, starving);
      awoke = true;
    }
  }

  static std::int32_t next_state(std::int32_t seen, bool starving, bool awoke) {
    std::int32_t next = seen;
    if ((seen & kStarving) == 0) next |= kLocked;
    if ((seen & (kLocked | kStarving)) != 0) next += kWaiter;
    if (starving && (seen & kLocked) != 0) next |= kStarving;
    if (awoke && (next & kWoken) == 0) throw std::logic_error("inconsistent mutex state");
    return awoke ? next & ~kWoken : next;
  }

  // The last waiter, or one that has not waited for long, ends the time of handing over.
  void take_over(std::int32_t seen, bool starving) {
    if ((seen & (kLocked | kWoken)) != 0 || seen >> kShift == 0) {
      throw std::logic_error("inconsistent mutex state");
    }
    const bool ends = !starving || seen >> kShift == 1;
    state_.fetch_add(kLocked - kWaiter - (ends ? kStarving : 0));
  }

  platform::Atomic<std::int32_t> state_{0};
  Semaphore semaphore_;
};

}  // namespace lockbench::mutants::published
