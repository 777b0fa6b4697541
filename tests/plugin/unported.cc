// SPDX-License-Identifier: Apache-2.0

// Locks that know nothing of lockbench::platform, built for simulation all the same: what the
// compiler instruments, and calls of the system's library, reach the engine. Each broken one
// differs from a correct one by its fault alone.
#include <atomic>
#include <condition_variable>
#include <lockbench/plugin.h>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <shared_mutex>

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

// A call that no simulation decides.
class SharedMutexLock {
 public:
  void lock() { mutex_.lock(); }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  std::shared_mutex mutex_;
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
}
