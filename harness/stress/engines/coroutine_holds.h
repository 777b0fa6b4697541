// SPDX-License-Identifier: Apache-2.0

// CoroutineHolds: KeyedCoMutex, or a lock with its interface, as a lock of threads, so that the
// engines can check it.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>

#include "primitives/concepts.h"
#include "primitives/keyed_co_mutex.h"
#include "primitives/platform/futex.h"

namespace lockbench {

// Each lock() starts a coroutine that awaits the key. If the coroutine is suspended, the thread
// sleeps until the coroutine is posted, and resumes it.
template <class Mutex = KeyedCoMutex<>>
class CoroutineHolds {
 public:
  static constexpr Promises kPromises{.lock_per_key = true, .fair = true};

  class Handle {
   public:
    Handle(CoroutineHolds& owner, std::uint64_t key) : mutex_(owner.mutex_), key_(key) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    void lock() {
      Posted posted;
      take_key(posted);
      if (!hold_.owns_lock()) posted.wait().resume();
    }
    bool try_lock() {
      hold_ = mutex_.try_lock(key_);
      return hold_.owns_lock();
    }
    void unlock() { hold_.unlock(); }

   private:
    // A coroutine that has been posted, and that the thread which waits here resumes.
    class Posted {
     public:
      // The coroutine may have been resumed, and this object be gone, before the call returns.
      void post(std::coroutine_handle<> coroutine) {
        coroutine_ = coroutine;
        word_.store(1, std::memory_order_release);
        platform::futex_wake(word_, 1);
      }
      std::coroutine_handle<> wait() {
        while (word_.load(std::memory_order_acquire) == 0) platform::futex_wait(word_, 0);
        return coroutine_;
      }

     private:
      platform::FutexWord word_{0};
      std::coroutine_handle<> coroutine_;
    };

    // The return type of a coroutine that starts at once and destroys itself.
    struct Started {
      struct promise_type {
        Started get_return_object() { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
      };
    };

    Started take_key(Posted& posted) {
      const auto post = [&posted](std::coroutine_handle<> waiter) { posted.post(waiter); };
      hold_ = co_await mutex_.lock(key_, post);
    }

    Mutex& mutex_;
    const std::uint64_t key_;
    typename Mutex::Hold hold_;
  };

  explicit CoroutineHolds(std::size_t buckets) : mutex_(buckets) {}

  Handle handle(std::uint64_t key) { return Handle(*this, key); }
  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof mutex_; }
  std::size_t keys_kept() const { return mutex_.keys_kept(); }

 private:
  Mutex mutex_;
};

}  // namespace lockbench
