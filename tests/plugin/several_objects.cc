// SPDX-License-Identifier: Apache-2.0

// Locks that are correct as long as a program has one object of the class, which lives as long as
// its threads, each beside one that is correct with several.
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <lockbench/plugin.h>
#include <mutex>
#include <sched.h>

namespace {

// Its owner may lock again. How deep a thread is, each object has to know for itself.
template <bool kOfEachObject>
class Reentrant {
 public:
  static constexpr lockbench::LockPromises kPromises{.reentrant = true};

  void lock() {
    while (!try_lock()) sched_yield();
  }
  bool try_lock() {
    if (is_held() || !held_.exchange(true, std::memory_order_acquire)) {
      owner_.store(&depth_of_thread, std::memory_order_relaxed);
      ++depth();
      return true;
    }
    return false;
  }
  void unlock() {
    if (--depth() != 0) return;
    owner_.store(nullptr, std::memory_order_relaxed);
    held_.store(false, std::memory_order_release);
  }

 private:
  bool is_held() {
    if (!kOfEachObject) return depth_of_thread != 0;
    return owner_.load(std::memory_order_relaxed) == &depth_of_thread;
  }
  int& depth() { return kOfEachObject ? depth_ : depth_of_thread; }

  inline static thread_local int depth_of_thread = 0;

  std::atomic<bool> held_{false};
  std::atomic<const int*> owner_{nullptr};
  int depth_ = 0;
};

// A queue lock whose threads keep their nodes: one for each lock that a thread holds at once, or
// the same for all.
template <bool kOneForAll>
class ThreadsNodes {
 public:
  void lock() {
    Node& node = take();
    node.next.store(nullptr, std::memory_order_relaxed);
    node.waits.store(true, std::memory_order_relaxed);
    if (Node* const before = last_.exchange(&node, std::memory_order_acq_rel)) {
      before->next.store(&node, std::memory_order_release);
      while (node.waits.load(std::memory_order_acquire)) sched_yield();
    }
    mine_ = &node;
  }
  bool try_lock() {
    Node& node = take();
    node.next.store(nullptr, std::memory_order_relaxed);
    Node* none = nullptr;
    if (!last_.compare_exchange_strong(none, &node, std::memory_order_acq_rel)) {
      node.is_used = false;
      return false;
    }
    mine_ = &node;
    return true;
  }
  void unlock() {
    Node& node = *mine_;
    Node* next = node.next.load(std::memory_order_acquire);
    if (next == nullptr) {
      Node* self = &node;
      if (last_.compare_exchange_strong(self, nullptr, std::memory_order_acq_rel)) {
        node.is_used = false;
        return;
      }
      while ((next = node.next.load(std::memory_order_acquire)) == nullptr) sched_yield();
    }
    next->waits.store(false, std::memory_order_release);
    node.is_used = false;
  }

 private:
  struct Node {
    std::atomic<Node*> next{nullptr};
    std::atomic<bool> waits{false};
    bool is_used = false;  // only its thread looks
  };

  static Node& take() {
    static constexpr std::size_t kNodes = 16;
    static thread_local std::array<Node, kNodes> nodes;
    std::size_t i = 0;
    while (!kOneForAll && nodes[i].is_used) ++i;
    nodes[i].is_used = true;
    return nodes[i];
  }

  std::atomic<Node*> last_{nullptr};
  Node* mine_ = nullptr;  // the holder's
};

// All objects share one place to sleep. A release must wake all that sleep there: the first of them
// may wait for another object.
template <bool kWakesAll>
class SharedBed {
 public:
  void lock() {
    std::unique_lock<std::mutex> guard(mutex);
    while (held_) bed.wait(guard);
    held_ = true;
  }
  bool try_lock() {
    const std::lock_guard<std::mutex> guard(mutex);
    if (held_) return false;
    return held_ = true;
  }
  void unlock() {
    const std::lock_guard<std::mutex> guard(mutex);
    held_ = false;
    if (kWakesAll) {
      bed.notify_all();
    } else {
      bed.notify_one();
    }
  }

 private:
  inline static std::mutex mutex;
  inline static std::condition_variable bed;

  bool held_ = false;
};

// A thread that uses the lock for the first time adds itself to the number of threads that do; a
// release that knows of no other thread wakes nobody. Which lock it has used, a thread remembers by
// the address, or by a number that no two locks have.
template <bool kByAddress>
class CountsItsThreads {
 public:
  void lock() {
    note_thread();
    while (held_.exchange(1) != 0) held_.wait(1);
  }
  bool try_lock() {
    note_thread();
    return held_.exchange(1) == 0;
  }
  void unlock() {
    held_.store(0);
    if (threads_.load() > 1) held_.notify_all();
  }

 private:
  static constexpr std::size_t kRemembered = 8;

  std::uint64_t name() const {
    return kByAddress ? reinterpret_cast<std::uint64_t>(this) : number_;
  }

  // A thread that has forgotten counts twice, which only wakes more than needed.
  void note_thread() {
    static thread_local std::array<std::uint64_t, kRemembered> known{};
    static thread_local std::size_t next = 0;
    for (const std::uint64_t one : known) {
      if (one == name()) return;
    }
    known[next++ % kRemembered] = name();
    threads_.fetch_add(1);
  }

  inline static std::atomic<std::uint64_t> last_number{0};

  const std::uint64_t number_ = last_number.fetch_add(1) + 1;
  std::atomic<std::uint32_t> threads_{0};
  std::atomic<std::uint32_t> held_{0};
};

// A table of a mutex for each key below 16: its programs may use all of them.
template <std::size_t kTableSize>
class SmallTable {
 public:
  static constexpr lockbench::LockPromises kPromises{.lock_per_key = true,
                                                     .limits = {.keys_below = 16}};

  class Handle {
   public:
    explicit Handle(std::mutex& mutex) : mutex_(mutex) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    void lock() { mutex_.lock(); }
    bool try_lock() { return mutex_.try_lock(); }
    void unlock() { mutex_.unlock(); }

   private:
    std::mutex& mutex_;
  };

  Handle handle(std::uint64_t key) { return Handle(mutexes_[key % kTableSize]); }
  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this; }

 private:
  std::array<std::mutex, kTableSize> mutexes_;
};

}  // namespace

LOCKBENCH_PLUGIN(locks) {
  locks.add<Reentrant<true>>("depth_of_object", "each object knows how deep its owner is");
  locks.add<Reentrant<false>>("depth_of_thread", "a thread is as deep in one as in all");
  locks.add_alone<ThreadsNodes<false>>("node_for_each", "a thread's nodes, one for each hold");
  locks.add_alone<ThreadsNodes<true>>("node_for_all",
                                      "a thread's node, the same for all its holds");
  locks.add_alone<SharedBed<true>>("bed_wakes_all",
                                   "one place to sleep, a release wakes all there");
  locks.add_alone<SharedBed<false>>("bed_wakes_one", "the same, and a release wakes one");
  locks.add_alone<CountsItsThreads<false>>("known_by_number", "threads remember the lock's number");
  locks.add_alone<CountsItsThreads<true>>("known_by_address",
                                          "threads remember the lock's address");
  locks.add<SmallTable<16>>("small_table", "a mutex for each key below 16");
  locks.add<SmallTable<15>>("small_table_short", "the same, one mutex short");
}
