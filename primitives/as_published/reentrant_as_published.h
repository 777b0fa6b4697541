// SPDX-License-Identifier: Apache-2.0

// ReentrantAsPublished: owner, count and pending count in front of a real lock, as published; and a
// form with its faults repaired.
//
// Without contention, the real lock is not used. The first thread that finds the lock owned takes
// the real lock in the owner's name and then waits for it a second time. The owner releases it with
// its last release.
//
// The algorithm depends on the interpreter's own lock, which is held in every step except the wait.
// Here that is a mutex of the object. So the behaviour is that of the original, but not the cost:
// the original's caller holds the interpreter's lock already.
//
// Claimed      mutual exclusion; the owner may lock again; no real lock without contention.
// Faults as printed, all of them kept; `Repaired` repairs each
//   F1  `pending_count -= 0`: after one contention, or one failed try, the count of waiting threads
//       never returns to 0. The fast path is then never used again.
//   F2  release does not check its caller: any thread can unlock the lock of any other.
//   F3  release does not check the count: one release too many makes it the greatest number, and
//       the next thread waits for an owner that does not exist.
//   F4  the count of nested locks may overflow; 64 bits hide it.
// Ours         try_lock(): the listing has only a wait, "to keep it simple". try_lock() follows
//              fastrlock, which the listing imitates: the last wait becomes a try.
// Source       an article on fastrlock in terms of the Python C API, October 2024, revised 5
//              November 2024, with figures for Python 3.8 and 3.12.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string_view>
#include <system_error>

#include "primitives/as_published/plain_lock.h"
#include "primitives/concepts.h"
#include "primitives/platform/layout.h"
#include "primitives/platform/mutex.h"
#include "primitives/platform/thread.h"

namespace lockbench {

enum class FastrlockListing { kAsPrinted, kRepaired };

namespace internal {

template <FastrlockListing kListing>
class FastReentrantMutex {
 public:
  // Repaired: throws std::system_error(resource_unavailable_try_again) when the count is full (F4).
  void lock() { acquire(true); }
  bool try_lock() { return acquire(false); }

  // Repaired: a caller that is not the owner, or has released all, changes nothing (F2, F3).
  void unlock() {
    std::unique_lock interpreter(interpreter_);
    if (kListing == FastrlockListing::kRepaired && !owned()) return;
    if (--count_ != 0) return;
    owner_ = platform::kNoThread;
    if (!is_locked_) return;
    real_.release();
    is_locked_ = false;
  }

  // True if the next lock() of a free lock would not use the real lock.
  bool has_fast_path() const {
    std::unique_lock interpreter(interpreter_);
    return pending_ == 0;
  }

 private:
  bool acquire(bool wait) {
    std::unique_lock interpreter(interpreter_);
    if (count_ == 0 && pending_ == 0) return become_owner();
    if (count_ > 0 && owner_ == platform::this_thread()) return deepen();
    // It was free: this thread takes it in the name of the owner, which will release it.
    if (!is_locked_ && pending_ == 0) {
      real_.acquire();
      is_locked_ = true;
    }
    ++pending_;
    interpreter.unlock();
    const bool acquired = wait ? (real_.acquire(), true) : real_.try_acquire();
    interpreter.lock();
    pending_ -= kListing == FastrlockListing::kRepaired ? 1 : 0;  // F1
    if (!acquired) return false;
    is_locked_ = true;
    return become_owner();
  }

  bool become_owner() {
    owner_ = platform::this_thread();
    count_ = 1;
    return true;
  }

  bool deepen() {
    if (kListing == FastrlockListing::kRepaired &&
        count_ == std::numeric_limits<std::uint64_t>::max()) {
      throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again),
                              "the count of nested locks is full");
    }
    ++count_;
    return true;
  }

  bool owned() const { return count_ > 0 && owner_ == platform::this_thread(); }

  mutable platform::Mutex interpreter_;
  PlainLock real_;
  platform::ThreadToken owner_ = platform::kNoThread;
  std::uint64_t count_ = 0;
  std::uint64_t pending_ = 0;
  bool is_locked_ = false;  // real_ is held, in the owner's name or by the owner
};

}  // namespace internal

// One ReentrantAsPublished lock for all keys.
template <FastrlockListing kListing = FastrlockListing::kAsPrinted>
class ReentrantAsPublished {
 public:
  static constexpr Promises kPromises{.reentrant = true};

  class Handle;

  Handle handle(std::uint64_t) { return Handle(mutex_); }
  Handle handle(std::string_view) { return Handle(mutex_); }

  // Both keys share the lock.
  template <Key K>
  Handle handle_both(K, K) {
    return Handle(mutex_);
  }

  bool has_fast_path() const { return mutex_.has_fast_path(); }

  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this; }

 private:
  alignas(platform::kCacheLine) internal::FastReentrantMutex<kListing> mutex_;
};

template <FastrlockListing kListing>
class ReentrantAsPublished<kListing>::Handle {
 public:
  explicit Handle(internal::FastReentrantMutex<kListing>& mutex) : mutex_(mutex) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  void lock() { mutex_.lock(); }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  internal::FastReentrantMutex<kListing>& mutex_;
};

using ReentrantRepaired = ReentrantAsPublished<FastrlockListing::kRepaired>;

}  // namespace lockbench
