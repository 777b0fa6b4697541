// SPDX-License-Identifier: Apache-2.0

// SubstitutedRwlock: a pthread_rwlock_t that a base lock of ours or of a library implements.
//
// The base lock lies where the C library counts readers and writers. Its flags stay where they are,
// so pthread_rwlock_init() and the static initialisers work unchanged:
//
//   offset 0  the base lock   16 whether it is replaced, if only those of some places are
//   28 shared between processes   40 the writer (8 bytes)   48 kind
//
// Guarantees   Readers keep their meaning: they hold the lock together, and a reader may lock again
//              whatever waits (a base lock alone lets a writer go before, and would deadlock). A
//              thread that has the lock and asks for it in a way that can never end gets EDEADLK.
//              Locks that processes share are the C library's own: is_native() says which.
// Not offered  The order of the kinds (readers or writers first): it is the base lock's. If the
// base
//              lock is a mutex (ExclusiveRwlock), readers exclude each other: a program in which a
//              reader waits for another one stands still.
// Requires     Base: at most kMostBytes, free if all its bytes are zero, and nothing to destroy.
//              unlock() by the thread that locked; a program that does otherwise, or in which a
//              thread holds more than kMostReads locks to read, is ended with a message.
#pragma once

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <new>
#include <pthread.h>

#include "harness/observe/substitute/choice.h"
#include "harness/observe/substitute/deadline.h"
#include "primitives/platform/thread.h"

namespace lockbench {

// A mutex in the place of a lock for readers and writers.
template <class Mutex>
class ExclusiveRwlock : public Mutex {
 public:
  void lock_shared() { Mutex::lock(); }
  bool try_lock_shared() { return Mutex::try_lock(); }
  void unlock_shared() { Mutex::unlock(); }
};

// The locks that a thread holds to read, each with the number of times.
class ReadHolds {
 public:
  struct Hold {
    const void* lock;
    std::uint32_t depth;
  };

  Hold* find(const void* lock) {
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (holds_[i].lock == lock) return &holds_[i];
    }
    return nullptr;
  }
  bool is_full() const { return count_ == holds_.size(); }
  void add(const void* lock) { holds_[count_++] = {.lock = lock, .depth = 1}; }
  void remove(Hold* hold) { *hold = holds_[--count_]; }

 private:
  static constexpr std::size_t kMostReads = 64;

  std::array<Hold, kMostReads> holds_{};
  std::uint32_t count_ = 0;
};

inline ReadHolds& read_holds() {
  static constinit thread_local ReadHolds holds;
  return holds;
}

template <class Base>
class SubstitutedRwlock {
 public:
  static constexpr std::size_t kMostBytes = 16;
  static_assert(sizeof(Base) <= kMostBytes && alignof(Base) <= 8);
  static_assert(offsetof(pthread_rwlock_t, __data.__shared) == 28 &&
                offsetof(pthread_rwlock_t, __data.__flags) == 48);

  explicit SubstitutedRwlock(pthread_rwlock_t& lock) : lock_(lock) {}

  // True if the C library's functions are to be used.
  bool is_native() const { return lock_.__data.__shared != 0; }

  // As SubstitutedMutex::is_chosen().
  template <class Ask>
  bool is_chosen(Ask is_chosen) {
    return choice().decide(is_chosen);
  }
  bool is_chosen() { return choice().is_replaced(); }

  int lock(const Deadline& deadline) {
    if (is_writer() || read_holds().find(&lock_) != nullptr) return EDEADLK;
    const int result = acquire(
        deadline, [this] { base().lock(); }, [this] { return base().try_lock(); });
    if (result == 0) become_writer();
    return result;
  }

  int try_lock() {
    if (is_writer() || read_holds().find(&lock_) != nullptr || !base().try_lock()) return EBUSY;
    become_writer();
    return 0;
  }

  int lock_shared(const Deadline& deadline) {
    if (is_writer()) return EDEADLK;
    if (reads_again()) return 0;
    const int result = acquire(
        deadline, [this] { base().lock_shared(); }, [this] { return base().try_lock_shared(); });
    if (result == 0) read_holds().add(&lock_);
    return result;
  }

  int try_lock_shared() {
    if (is_writer()) return EBUSY;
    if (reads_again()) return 0;
    if (!base().try_lock_shared()) return EBUSY;
    read_holds().add(&lock_);
    return 0;
  }

  int unlock() {
    if (is_writer()) {
      // relaxed: other threads only compare it with themselves.
      writer().store(platform::kNoThread, std::memory_order_relaxed);
      base().unlock();
      return 0;
    }
    ReadHolds::Hold* const hold = read_holds().find(&lock_);
    if (hold == nullptr) give_up("a thread unlocks a rwlock that it does not hold");
    if (--hold->depth > 0) return 0;
    read_holds().remove(hold);
    base().unlock_shared();
    return 0;
  }

 private:
  static constexpr std::size_t kChoice = 16;  // offsets
  static constexpr std::size_t kWriter = 40;

  char* at(std::size_t offset) const { return lock_.__size + offset; }
  Choice choice() { return Choice(*std::launder(reinterpret_cast<std::uint32_t*>(at(kChoice)))); }
  Base& base() { return *std::launder(reinterpret_cast<Base*>(at(0))); }
  std::atomic_ref<platform::ThreadToken> writer() const {
    return std::atomic_ref(*std::launder(reinterpret_cast<platform::ThreadToken*>(at(kWriter))));
  }

  // relaxed, here and below: only this thread stores its own token.
  bool is_writer() const {
    return writer().load(std::memory_order_relaxed) == platform::this_thread();
  }
  void become_writer() { writer().store(platform::this_thread(), std::memory_order_relaxed); }

  // True if this thread holds the lock to read; then it does once more.
  bool reads_again() {
    if (ReadHolds::Hold* const hold = read_holds().find(&lock_)) {
      ++hold->depth;
      return true;
    }
    if (read_holds().is_full()) give_up("a thread holds more than 64 rwlocks to read");
    return false;
  }

  template <class Lock, class TryLock>
  static int acquire(const Deadline& deadline, Lock lock, TryLock try_lock) {
    if (deadline.time == nullptr) {
      lock();
      return 0;
    }
    if (try_lock()) return 0;
    if (!deadline.valid()) return EINVAL;
    // Few of these locks have a timed acquisition: looks again and again.
    while (!deadline.has_passed()) {
      constexpr timespec kBetween{.tv_sec = 0, .tv_nsec = 50'000};
      nanosleep(&kBetween, nullptr);
      if (try_lock()) return 0;
    }
    return ETIMEDOUT;
  }

  [[noreturn]] static void give_up(const char* reason) {
    std::fprintf(stderr, "lockbench substitute: %s; this program's locks cannot be substituted\n",
                 reason);
    std::abort();
  }

  pthread_rwlock_t& lock_;
};

}  // namespace lockbench
