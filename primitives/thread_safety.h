// SPDX-License-Identifier: Apache-2.0

// Annotations for clang's thread safety analysis (-Wthread-safety), and a guard that has them. The
// analysis checks at compile time that data is used only while its mutex is held:
//
//   class Account {
//     lockbench::AdaptiveMutex mutex_;
//     std::int64_t balance_ LOCKBENCH_GUARDED_BY(mutex_) = 0;
//    public:
//     void deposit(std::int64_t amount) {
//       lockbench::MutexGuard guard(mutex_);  // without it: a warning
//       balance_ += amount;
//     }
//   };
//
// Not offered  a check of keyed locks: which key is held is known only when the program runs.
//              std::scoped_lock of libstdc++ has no annotations, so the analysis does not see it.
// Cost         none; other compilers see nothing.
#pragma once

#if defined(__clang__)
#define LOCKBENCH_THREAD_SAFETY(...) __attribute__((__VA_ARGS__))
#else
#define LOCKBENCH_THREAD_SAFETY(...)
#endif

// A type of locks; a type that holds one for as long as it lives.
#define LOCKBENCH_CAPABILITY LOCKBENCH_THREAD_SAFETY(capability("mutex"))
#define LOCKBENCH_SCOPED_CAPABILITY LOCKBENCH_THREAD_SAFETY(scoped_lockable)

// Data that a mutex guards; a function that is called with it held.
#define LOCKBENCH_GUARDED_BY(mutex) LOCKBENCH_THREAD_SAFETY(guarded_by(mutex))
#define LOCKBENCH_REQUIRES(mutex) LOCKBENCH_THREAD_SAFETY(requires_capability(mutex))

// The effects of a lock's functions. Their own code is not checked: it is what makes them true.
#define LOCKBENCH_ACQUIRES(...) \
  LOCKBENCH_THREAD_SAFETY(acquire_capability(__VA_ARGS__), no_thread_safety_analysis)
#define LOCKBENCH_TRIES(...) \
  LOCKBENCH_THREAD_SAFETY(try_acquire_capability(__VA_ARGS__), no_thread_safety_analysis)
#define LOCKBENCH_RELEASES(...) \
  LOCKBENCH_THREAD_SAFETY(release_capability(__VA_ARGS__), no_thread_safety_analysis)

namespace lockbench {

// Holds a mutex until the end of its scope. The analysis follows it, as it does not follow
// std::scoped_lock.
template <class Mutex>
class [[nodiscard]] LOCKBENCH_SCOPED_CAPABILITY MutexGuard {
 public:
  explicit MutexGuard(Mutex& mutex) LOCKBENCH_ACQUIRES(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexGuard() LOCKBENCH_RELEASES() { mutex_.unlock(); }
  MutexGuard(const MutexGuard&) = delete;
  MutexGuard& operator=(const MutexGuard&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace lockbench
