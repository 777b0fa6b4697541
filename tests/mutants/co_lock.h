// SPDX-License-Identifier: Apache-2.0

// CoLock: a mutex by key whose waiters are suspended coroutines; and variants with
// one fault each. One list of keys in use and one mutex protect all of it.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "primitives/platform/mutex.h"

namespace lockbench::mutants {

enum class CoFault {
  kNone,
  kNoSecondLook,   // queues the coroutine for a key that was released since it looked
  kForgetsKey,     // the key is free until the coroutine that receives it runs
  kPostsNone,      // unlocks a key for which more than one coroutine waits without posting one
  kNewestFirst,    // hands the key to the coroutine that came last
  kChecksOutside,  // decides without the mutex that there is no waiter
};

template <CoFault kFault>
class CoLock {
 public:
  class Hold {
   public:
    Hold() = default;
    Hold(CoLock& lock, std::uint64_t key) : lock_(&lock), key_(key) {}
    Hold(Hold&& other) noexcept : lock_(std::exchange(other.lock_, nullptr)), key_(other.key_) {}
    Hold& operator=(Hold&& other) noexcept {
      lock_ = std::exchange(other.lock_, nullptr);
      key_ = other.key_;
      return *this;
    }
    bool owns_lock() const { return lock_ != nullptr; }
    void unlock() { std::exchange(lock_, nullptr)->release(key_); }

   private:
    CoLock* lock_ = nullptr;
    std::uint64_t key_ = 0;
  };

  explicit CoLock(std::size_t) {}

  template <class Post>
  auto lock(std::uint64_t key, Post post) {
    return Awaiter<Post>{*this, key, std::move(post)};
  }

  Hold try_lock(std::uint64_t key) {
    std::scoped_lock guard(mutex_);
    return held_.try_emplace(key).second ? Hold(*this, key) : Hold();
  }

  std::size_t keys_kept() const {
    std::scoped_lock guard(mutex_);
    return held_.size();
  }

 private:
  using Queue = std::deque<std::function<void()>>;  // each resumes one coroutine elsewhere

  template <class Post>
  struct Awaiter {
    CoLock& lock;
    const std::uint64_t key;
    Post post;

    bool await_ready() {
      std::scoped_lock guard(lock.mutex_);
      return lock.held_.try_emplace(key).second;
    }

    // False: the coroutine holds the key and goes on.
    bool await_suspend(std::coroutine_handle<> coroutine) {
      std::scoped_lock guard(lock.mutex_);
      const auto [entry, is_new] = lock.held_.try_emplace(key);
      if (is_new && kFault != CoFault::kNoSecondLook) return false;
      entry->second.push_back([own = post, coroutine] { own(coroutine); });
      return true;
    }

    Hold await_resume() {
      if constexpr (kFault == CoFault::kForgetsKey) {
        std::scoped_lock guard(lock.mutex_);
        lock.held_.try_emplace(key);
      }
      return Hold(lock, key);
    }
  };

  void release(std::uint64_t key) {
    std::function<void()> resume_next;
    {
      std::unique_lock guard(mutex_);
      Queue& queue = held_[key];
      if (queue.empty()) {
        if constexpr (kFault == CoFault::kChecksOutside) {
          guard.unlock();
          guard.lock();
        }
        held_.erase(key);
        return;
      }
      if (kFault == CoFault::kPostsNone && queue.size() > 1) return;
      resume_next = kFault == CoFault::kNewestFirst ? queue.back() : queue.front();
      kFault == CoFault::kNewestFirst ? queue.pop_back() : queue.pop_front();
      if (kFault == CoFault::kForgetsKey && queue.empty()) held_.erase(key);
    }
    resume_next();
  }

  mutable platform::Mutex mutex_;
  std::map<std::uint64_t, Queue> held_;
};

}  // namespace lockbench::mutants
