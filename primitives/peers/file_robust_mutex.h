// SPDX-License-Identifier: Apache-2.0

// FileRobustMutex: one robust, process-shared pthread_mutex_t in a file that all map.
//
// Guarantees   mutual exclusion between all threads of all processes that map the file; timed
//              acquisition; the next one gets it when its owner was killed, at once.
// Not offered  a lock for each key (one for all); recovery of a file that was killed while being
//              made; safety from a process that writes the file by mistake or intent: the C library
//              follows pointers in it; progress for all: when a waiter is killed after it was woken
//              and before it ran, and another took the mutex in between, then the waiters behind it
//              sleep until another thread has waited and acquired the mutex (glibc 2.36).
// Requires     the folder's file system can share memory (NFS between machines cannot); the same C
//              library in all processes.
// Source       pthread_mutexattr_setrobust(3); kernel's robust-futexes.rst, I. Molnar, 2006.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <pthread.h>
#include <string>
#include <string_view>
#include <system_error>

#include "primitives/concepts.h"
#include "primitives/internal/timed.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/file.h"

namespace lockbench {

class FileRobustMutex {
 public:
  static constexpr Promises kPromises{.timed = true, .scope = Scope::kProcess};

  class Handle;

  // Makes the mutex in a new file of `folder`; processes that are to share it are children of this
  // one. Throws std::system_error.
  explicit FileRobustMutex(const std::string& folder) {
    const platform::FileDescriptor in = platform::open_folder(folder.c_str());
    const platform::FileDescriptor file = platform::open_private_file(in, "robust_mutex");
    if (!file.open()) fail(errno);
    const int error = platform::reserve_bytes(file, sizeof(pthread_mutex_t));
    if (error != 0) fail(error);
    mutex_ = static_cast<pthread_mutex_t*>(platform::map_shared(file, sizeof(pthread_mutex_t)));
    if (mutex_ == nullptr) fail(errno);
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    const int made = pthread_mutex_init(mutex_, &attributes);
    pthread_mutexattr_destroy(&attributes);
    if (made != 0) fail(made);
  }
  ~FileRobustMutex() { platform::unmap_shared(mutex_, sizeof(pthread_mutex_t)); }
  FileRobustMutex(const FileRobustMutex&) = delete;
  FileRobustMutex& operator=(const FileRobustMutex&) = delete;

  Handle handle(std::uint64_t);
  Handle handle(std::string_view);

  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this + sizeof(pthread_mutex_t); }

 private:
  [[noreturn]] static void fail(int error) {
    throw std::system_error(error, std::generic_category(), "robust mutex");
  }

  // Evaluates the result of the C library's call: true if this thread holds the mutex now.
  bool entered(int result) {
    if (result == EOWNERDEAD) return pthread_mutex_consistent(mutex_) == 0;
    if (result != 0 && result != EBUSY && result != ETIMEDOUT) fail(result);
    return result == 0;
  }

  pthread_mutex_t* mutex_ = nullptr;
};

class FileRobustMutex::Handle : public internal::TimedMembers<Handle> {
 public:
  explicit Handle(FileRobustMutex& lock) : lock_(lock) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  void lock() { lock_.entered(pthread_mutex_lock(lock_.mutex_)); }
  bool try_lock() { return lock_.entered(pthread_mutex_trylock(lock_.mutex_)); }
  void unlock() { pthread_mutex_unlock(lock_.mutex_); }

  bool lock_before(platform::Time deadline) {
    const auto ns = std::chrono::nanoseconds(deadline.time_since_epoch()).count();
    const timespec until{.tv_sec = static_cast<time_t>(ns / 1'000'000'000),
                         .tv_nsec = static_cast<long>(ns % 1'000'000'000)};
    return lock_.entered(pthread_mutex_clocklock(lock_.mutex_, CLOCK_MONOTONIC, &until));
  }

 private:
  FileRobustMutex& lock_;
};

inline FileRobustMutex::Handle FileRobustMutex::handle(std::uint64_t) {
  return Handle(*this);
}

inline FileRobustMutex::Handle FileRobustMutex::handle(std::string_view) {
  return Handle(*this);
}

}  // namespace lockbench
