// SPDX-License-Identifier: Apache-2.0

// Locks that know nothing of lockbench::platform, built for simulation all the same: what the
// compiler instruments, and calls of the system's library, reach the engine. Each broken one
// differs from a correct one by its fault alone.
#include <atomic>
#include <condition_variable>
#include <lockbench/plugin.h>
#include <mutex>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <shared_mutex>
#include <sys/ioctl.h>
#include <thread>
#include <unistd.h>

namespace {

enum class Fault { kNone, kTwoSteps, kRelaxedUnlock };

template <Fault kFault>
class FlagLock {
 public:
  void lock() {
    while (!try_lock()) sched_yield();
  }
  bool try_lock() {
    if constexpr (kFault == Fault::kTwoSteps) {
      if (held_.load(std::memory_order_acquire)) return false;
      held_.store(true, std::memory_order_relaxed);
      return true;
    }
    return !held_.exchange(true, std::memory_order_acquire);
  }
  void unlock() {
    held_.store(false, kFault == Fault::kRelaxedUnlock ? std::memory_order_relaxed
                                                       : std::memory_order_release);
  }

 private:
  std::atomic<bool> held_{false};
};

// An order that fences alone make.
template <bool kFences>
class FencedLock {
 public:
  void lock() {
    while (!try_lock()) {
    }
  }
  bool try_lock() {
    if (held_.exchange(true, std::memory_order_relaxed)) return false;
    if (kFences) std::atomic_thread_fence(std::memory_order_acquire);
    return true;
  }
  void unlock() {
    if (kFences) std::atomic_thread_fence(std::memory_order_release);
    held_.store(false, std::memory_order_relaxed);
  }

 private:
  std::atomic<bool> held_{false};
};

// Waits with a standard mutex and condition variable.
template <bool kNotifies>
class WaitingLock {
 public:
  void lock() {
    std::unique_lock guard(mutex_);
    free_.wait(guard, [&] { return !held_; });
    held_ = true;
  }
  bool try_lock() {
    const std::scoped_lock guard(mutex_);
    return !std::exchange(held_, true);
  }
  void unlock() {
    const std::scoped_lock guard(mutex_);
    held_ = false;
    if (kNotifies) free_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable free_;
  bool held_ = false;
};

// A thread waits in a node of its own.
class ThreadNodeLock {
 public:
  void lock() {
    Node& mine = node();
    mine.waits.store(true, std::memory_order_relaxed);
    mine.next.store(nullptr, std::memory_order_relaxed);
    Node* const before = last_.exchange(&mine, std::memory_order_acq_rel);
    if (before == nullptr) return;
    before->next.store(&mine, std::memory_order_release);
    while (mine.waits.load(std::memory_order_acquire)) sched_yield();
  }
  bool try_lock() {
    Node& mine = node();
    mine.next.store(nullptr, std::memory_order_relaxed);
    Node* expected = nullptr;
    return last_.compare_exchange_strong(expected, &mine, std::memory_order_acq_rel);
  }
  void unlock() {
    Node* self = &node();
    Node* next = self->next.load(std::memory_order_acquire);
    if (next == nullptr) {
      Node* expected = self;
      if (last_.compare_exchange_strong(expected, nullptr, std::memory_order_release)) return;
      while ((next = self->next.load(std::memory_order_acquire)) == nullptr) sched_yield();
    }
    next->waits.store(false, std::memory_order_release);
  }

 private:
  struct Node {
    std::atomic<Node*> next{nullptr};
    std::atomic<bool> waits{false};
  };
  static Node& node() {
    static thread_local Node own;
    return own;
  }
  std::atomic<Node*> last_{nullptr};
};

// Nothing but what the library offers, of which the lock is simulated with.
class SharedMutexLock {
 public:
  void lock() { mutex_.lock(); }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  std::shared_mutex mutex_;
};

// A semaphore, counted beside it: correctly, or where nothing orders it.
template <bool kInside>
class SemaphoreLock {
 public:
  SemaphoreLock() { sem_init(&free_, 0, 1); }
  ~SemaphoreLock() { sem_destroy(&free_); }
  void lock() {
    if (!kInside) ++requests_;
    while (sem_wait(&free_) != 0) {
    }
    if (kInside) ++requests_;
  }
  bool try_lock() { return sem_trywait(&free_) == 0; }
  void unlock() { sem_post(&free_); }

 private:
  sem_t free_;
  unsigned requests_ = 0;
};

// As in C before it had atomics: volatile words, whose order is the processor's.
class VolatileLock {
 public:
  void lock() {
    while (!try_lock()) sched_yield();
  }
  bool try_lock() { return __sync_lock_test_and_set(&held_, 1) == 0; }
  void unlock() { held_ = 0; }

 private:
  volatile int held_ = 0;
};

// A thread of its own wakes who sleeps.
class HelperLock {
 public:
  HelperLock() : helper_([this] { help(); }) {}
  ~HelperLock() {
    {
      const std::scoped_lock guard(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    helper_.join();
  }
  void lock() {
    std::unique_lock guard(mutex_);
    free_.wait(guard, [&] { return !held_; });
    held_ = true;
  }
  bool try_lock() {
    const std::scoped_lock guard(mutex_);
    return !std::exchange(held_, true);
  }
  void unlock() {
    const std::scoped_lock guard(mutex_);
    held_ = false;
    told_ = true;
    changed_.notify_all();
  }

 private:
  void help() {
    std::unique_lock guard(mutex_);
    while (!ends_) {
      changed_.wait(guard, [&] { return told_ || ends_; });
      told_ = false;
      free_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable free_;
  bool held_ = false;
  bool told_ = false;
  bool ends_ = false;
  std::thread helper_;
};

// A byte in a pipe is the lock. Where it polls first, that is a call that no simulation decides;
// where it does not, it waits in the kernel, of which no simulation is asked.
template <bool kPolls>
class PipeLock {
 public:
  PipeLock() {
    if (pipe(ends_) == 0) unlock();
  }
  ~PipeLock() {
    close(ends_[0]);
    close(ends_[1]);
  }
  void lock() {
    pollfd wanted{.fd = ends_[0], .events = POLLIN, .revents = 0};
    if (kPolls) poll(&wanted, 1, -1);
    char byte = 0;
    while (read(ends_[0], &byte, 1) != 1) {
    }
  }
  bool try_lock() {
    int bytes = 0;
    if (ioctl(ends_[0], FIONREAD, &bytes) != 0 || bytes == 0) return false;
    lock();
    return true;
  }
  void unlock() {
    const char byte = 0;
    while (write(ends_[1], &byte, 1) != 1) {
    }
  }

 private:
  int ends_[2];
};

}  // namespace

LOCKBENCH_PLUGIN(locks) {
  locks.add<FlagLock<Fault::kNone>>("raw_flag", "a std::atomic<bool>");
  locks.add<FlagLock<Fault::kTwoSteps>>("raw_flag_two_steps", "looks, then takes");
  locks.add<FlagLock<Fault::kRelaxedUnlock>>("raw_flag_relaxed_unlock", "publishes nothing");
  locks.add<FencedLock<true>>("raw_fenced", "relaxed accesses, and fences");
  locks.add<FencedLock<false>>("raw_unfenced", "relaxed accesses alone");
  locks.add<WaitingLock<true>>("raw_condvar", "a standard condition variable");
  locks.add<WaitingLock<false>>("raw_condvar_tells_nobody", "the same, never notified");
  locks.add<ThreadNodeLock>("raw_thread_node", "a queue of nodes, one for each thread");
  locks.add<SharedMutexLock>("raw_shared_mutex", "a standard shared mutex");
  locks.add<SemaphoreLock<true>>("raw_semaphore", "a POSIX semaphore");
  locks.add<SemaphoreLock<false>>("raw_semaphore_counts_outside", "a count that nothing orders");
  locks.add<VolatileLock>("raw_volatile", "a volatile int");
  locks.add<HelperLock>("raw_helper", "a thread of its own wakes who sleeps");
  locks.add<PipeLock<true>>("raw_poll", "a pipe that is polled");
  locks.add<PipeLock<false>>("raw_pipe", "a pipe that is read");
}
