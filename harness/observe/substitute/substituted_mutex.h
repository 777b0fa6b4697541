// SPDX-License-Identifier: Apache-2.0

// SubstitutedMutex: a pthread_mutex_t that a base lock of ours implements; and a condition variable
// for it.
//
// The base lock lies in the part of pthread_mutex_t that the C library uses for lists of robust
// mutexes. The kind stays where the C library keeps it, so pthread_mutex_init() and the static
// initialisers of each kind work unchanged:
//
//   offset 0  unused   4 count   8 owner (8 bytes)   16 kind   20 unused   24 the base lock
//   36 whether the mutex is replaced, if only those of some places are
//
// Guarantees   The results of POSIX for mutexes of the kinds normal, recursive, error-checking and
//              adaptive. Other mutexes (robust, shared between processes, with a protocol for
//              priorities, destroyed) are the C library's own: is_native() says which. To know the
//              owner takes no system call: a filter of the program may refuse any.
// Not offered  Deadlock detection beyond EDEADLK, priorities. fork() while another thread holds or
//              waits for the mutex, if the base lock does not offer it.
// Requires     Base: at most kMostBytes, free if all its bytes are zero, and nothing to destroy.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <linux/futex.h>
#include <new>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

#include "harness/observe/substitute/choice.h"
#include "harness/observe/substitute/deadline.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/thread.h"

namespace lockbench {

template <class Base>
class SubstitutedMutex {
 public:
  static constexpr std::size_t kMostBytes = 12;
  static_assert(sizeof(Base) <= kMostBytes && alignof(Base) <= 8);
  static_assert(offsetof(pthread_mutex_t, __data.__kind) == 16 && sizeof(pthread_mutex_t) >= 40);

  explicit SubstitutedMutex(pthread_mutex_t& mutex) : mutex_(mutex) {}

  // True if the C library's functions are to be used.
  bool is_native() const { return (mutex_.__data.__kind & ~kOurs) != 0; }

  // True if this mutex is one of those to be replaced. Its first acquisition decides that, for as
  // long as the mutex exists: `is_chosen` says what it decides.
  template <class Ask>
  bool is_chosen(Ask is_chosen) {
    return choice().decide(is_chosen);
  }
  bool is_chosen() { return choice().is_replaced(); }

  int lock(const Deadline& deadline) {
    if (!checks_owner()) return lock_base(deadline);
    if (is_owner()) return lock_again(EDEADLK);
    const int result = lock_base(deadline);
    if (result == 0) become_owner();
    return result;
  }

  int try_lock() {
    if (!checks_owner()) return base().try_lock() ? 0 : EBUSY;
    if (is_owner()) return lock_again(EBUSY);
    if (!base().try_lock()) return EBUSY;
    become_owner();
    return 0;
  }

  int unlock() {
    if (checks_owner()) {
      if (!is_owner()) return EPERM;
      if (--mutex_.__data.__count > 0) return 0;
      // relaxed: other threads only compare it with themselves.
      owner().store(platform::kNoThread, std::memory_order_relaxed);
    }
    base().unlock();
    return 0;
  }

  bool is_free() {
    if (!base().try_lock()) return false;
    base().unlock();
    return true;
  }

 private:
  // The kinds of mutexes and the flags of lock elision; other flags mean robust, shared, ….
  static constexpr int kOurs = 3 | 256 | 512;

  static constexpr std::size_t kOwner = 8;  // its offset

  Choice choice() { return Choice(*(reinterpret_cast<std::uint32_t*>(&mutex_.__data.__list) + 3)); }
  Base& base() { return *std::launder(reinterpret_cast<Base*>(&mutex_.__data.__list)); }
  // Two numbers of the C library, which both are 0 in a mutex that it has initialised and expects
  // to destroy.
  std::atomic_ref<platform::ThreadToken> owner() const {
    static_assert(offsetof(pthread_mutex_t, __data.__owner) == kOwner);
    auto* const word =
        std::launder(reinterpret_cast<platform::ThreadToken*>(mutex_.__size + kOwner));
    return std::atomic_ref(*word);
  }

  bool checks_owner() const {
    const int kind = mutex_.__data.__kind & 3;
    return kind == PTHREAD_MUTEX_RECURSIVE || kind == PTHREAD_MUTEX_ERRORCHECK;
  }

  // relaxed: only this thread stores its own token.
  bool is_owner() const {
    return owner().load(std::memory_order_relaxed) == platform::this_thread();
  }
  void become_owner() {
    owner().store(platform::this_thread(), std::memory_order_relaxed);  // relaxed: as above
    mutex_.__data.__count = 1;
  }

  int lock_again(int otherwise) {
    if ((mutex_.__data.__kind & 3) != PTHREAD_MUTEX_RECURSIVE) return otherwise;
    if (mutex_.__data.__count == UINT_MAX) return EAGAIN;
    ++mutex_.__data.__count;
    return 0;
  }

  int lock_base(const Deadline& deadline) {
    if (deadline.time == nullptr) {
      base().lock();
      return 0;
    }
    if (base().try_lock()) return 0;
    if (!deadline.valid()) return EINVAL;
    return lock_until(deadline);
  }

  int lock_until(const Deadline& deadline) {
    for (;;) {
      if constexpr (requires { base().lock_before(platform::Time()); }) {
        if (base().lock_before(deadline.on_our_clock())) return 0;
      } else {
        // The lock has no timed acquisition: looks again and again.
        if (base().try_lock()) return 0;
        constexpr timespec kBetween{.tv_sec = 0, .tv_nsec = 50'000};
        nanosleep(&kBetween, nullptr);
      }
      if (deadline.has_passed()) return ETIMEDOUT;
    }
  }

  pthread_mutex_t& mutex_;
};

// A condition variable for any mutex: a number that each signal increments and on which waiters
// sleep. It lies at the beginning of pthread_cond_t; the C library's flags stay where they are.
class SubstitutedCondition {
 public:
  explicit SubstitutedCondition(pthread_cond_t& condition)
      : number_(*reinterpret_cast<std::uint32_t*>(&condition)),
        waiters_(*(reinterpret_cast<std::uint32_t*>(&condition) + 1)),
        flags_(condition.__data.__wrefs) {}

  // Shared between processes, or destroyed: the C library's.
  bool is_native() const { return (flags_ & 1) != 0; }
  clockid_t clock() const { return (flags_ & 2) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME; }

  // seq_cst, here and below: a waiter counts itself before it releases the mutex, so a signal that
  // follows from that release sees it.
  std::uint32_t begin_wait() {
    std::atomic_ref(waiters_).fetch_add(1);
    return std::atomic_ref(number_).load();
  }
  void end_wait() {
    // Once no thread waits, destroy() may return.
    if (std::atomic_ref(waiters_).fetch_sub(1) == 1) call(waiters_, FUTEX_WAKE, INT_MAX, nullptr);
  }

  // Sleeps unless a signal came since begin_wait(). Returns 0 or ETIMEDOUT.
  int sleep(std::uint32_t seen, const Deadline& deadline) {
    const int on_clock = deadline.clock == CLOCK_REALTIME ? FUTEX_CLOCK_REALTIME : 0;
    const long result =
        syscall(SYS_futex, &number_, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG | on_clock, seen,
                deadline.time, nullptr, FUTEX_BITSET_MATCH_ANY);
    return result != 0 && errno == ETIMEDOUT ? ETIMEDOUT : 0;
  }

  void wake(int most) {
    std::atomic_ref(number_).fetch_add(1);
    if (std::atomic_ref(waiters_).load() != 0) call(number_, FUTEX_WAKE, most, nullptr);
  }

  // Before the memory is used for something else: threads that were woken have yet to leave.
  void await_waiters() {
    while (const std::uint32_t waiters = std::atomic_ref(waiters_).load()) {
      call(waiters_, FUTEX_WAIT, static_cast<int>(waiters), nullptr);
    }
  }

 private:
  static void call(std::uint32_t& word, int operation, int value, const timespec* longest) {
    syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, longest, nullptr, 0);
  }

  std::uint32_t& number_;
  std::uint32_t& waiters_;
  const unsigned int flags_;
};

}  // namespace lockbench
