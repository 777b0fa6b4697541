// SPDX-License-Identifier: Apache-2.0

// Correct locks of which a checker easily says that they are broken, each beside one that is broken
// at the same point.
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <lockbench/plugin.h>
#include <mutex>
#include <sched.h>

#include "primitives/platform/mutex.h"

namespace {

using PortedMutex = lockbench::platform::Mutex;

// unlock() writes a node after the lock was handed over: its own node, which no other thread
// knows, or that of the last holder, which has ended.
template <bool kOwn>
class WritesNodeLast {
 public:
  struct Node {
    std::atomic<int> noted{0};
  };

  void lock(Node& node) {
    while (!try_lock(node)) sched_yield();
  }
  bool try_lock(Node& node) {
    if (held_.exchange(true, std::memory_order_acquire)) return false;
    before_ = last_;
    last_ = &node;
    return true;
  }
  void unlock(Node& node) {
    Node* const noted = kOwn || before_ == nullptr ? &node : before_;
    held_.store(false, std::memory_order_release);
    noted->noted.store(1, std::memory_order_relaxed);
  }

 private:
  std::atomic<bool> held_{false};
  Node* before_ = nullptr;
  Node* last_ = nullptr;
};

// A semaphore whose releases combine: one that finds another under way leaves its permit to that
// one, and returns. So a permit may be on its way though the thread that had it has returned. A
// broken try asks for all permits.
template <bool kAsksForAll>
class CombiningSemaphore {
 public:
  static constexpr std::uint32_t kPermits = 2;
  static constexpr lockbench::LockPromises kPromises{.strong_try = true, .capacity = kPermits};

  void lock() {
    while (!take()) sched_yield();
  }
  bool try_lock() {
    if (kAsksForAll && free_.load(std::memory_order_relaxed) != kPermits) return false;
    return take();
  }
  void unlock() {
    returned_.fetch_add(1);
    do {
      if (busy_.exchange(true)) return;
      free_.fetch_add(returned_.exchange(0));
      busy_.store(false);
    } while (returned_.load() != 0);
  }

 private:
  bool take() {
    std::uint32_t free = free_.load(std::memory_order_relaxed);
    while (free != 0) {
      if (free_.compare_exchange_strong(free, free - 1, std::memory_order_acquire)) return true;
    }
    return false;
  }

  std::atomic<std::uint32_t> free_{kPermits};
  std::atomic<std::uint32_t> returned_{0};
  std::atomic<bool> busy_{false};
};

// A queue lock in one word: its lowest byte says whether the lock is held, the other bytes name the
// last waiter. The head of the queue writes the byte alone. Nodes are published by updates of the
// whole word, which a store to another byte must leave published.
template <bool kPublishes>
class WordOfTwoSizes {
 public:
  struct Node {
    std::atomic<Node*> next{nullptr};
    std::atomic<bool> first{false};
  };

  void lock(Node& node) {
    std::uint64_t seen = 0;
    if (word_.compare_exchange_strong(seen, kHeld, std::memory_order_acquire)) return;
    node.next.store(nullptr, std::memory_order_relaxed);
    node.first.store(false, std::memory_order_relaxed);
    if (Node* const before = append(node)) {
      before->next.store(&node, std::memory_order_release);
      while (!node.first.load(std::memory_order_acquire)) sched_yield();
    }
    for (;;) {
      seen = word_.load(std::memory_order_acquire);
      if ((seen & kHeld) != 0) {
        sched_yield();
      } else if (seen != name_of(node)) {
        break;
      } else if (word_.compare_exchange_strong(seen, kHeld, std::memory_order_acquire)) {
        return;  // nobody is behind
      }
    }
    held_byte().store(1, std::memory_order_relaxed);
    Node* next = nullptr;
    while ((next = node.next.load(std::memory_order_acquire)) == nullptr) sched_yield();
    next->first.store(true, std::memory_order_release);
  }
  bool try_lock(Node&) {
    std::uint64_t none = 0;
    return word_.compare_exchange_strong(none, kHeld, std::memory_order_acquire);
  }
  void unlock(Node&) { held_byte().store(0, std::memory_order_release); }

 private:
  static constexpr std::uint64_t kHeld = 1;
  static constexpr int kBitsOfByte = 8;

  static std::uint64_t name_of(const Node& node) {
    return reinterpret_cast<std::uint64_t>(&node) << kBitsOfByte;
  }

  // Returns the node before; null if there is none.
  Node* append(Node& node) {
    constexpr auto kOrder = kPublishes ? std::memory_order_acq_rel : std::memory_order_acquire;
    std::uint64_t seen = word_.load(std::memory_order_relaxed);
    while (!word_.compare_exchange_strong(seen, name_of(node) | (seen & kHeld), kOrder,
                                          std::memory_order_relaxed)) {
    }
    return reinterpret_cast<Node*>(seen >> kBitsOfByte);
  }

  std::atomic<std::uint8_t>& held_byte() {
    return *reinterpret_cast<std::atomic<std::uint8_t>*>(&word_);
  }

  std::atomic<std::uint64_t> word_{0};
};

// Ordered for the compiler alone: x86 keeps that order, and C++ promises none between threads.
template <bool kFences>
class CompilerFenced {
 public:
  void lock() {
    while (!try_lock()) sched_yield();
  }
  bool try_lock() {
    const bool was_held = held_.exchange(true, std::memory_order_relaxed);
    if (kFences) std::atomic_signal_fence(std::memory_order_acquire);
    return !was_held;
  }
  void unlock() {
    if (kFences) std::atomic_signal_fence(std::memory_order_release);
    held_.store(false, std::memory_order_relaxed);
  }

 private:
  std::atomic<bool> held_{false};
};

// Spins by sequentially consistent reads: under c11, an execution has thousands of these.
class SpinsInOrder {
 public:
  void lock() {
    while (!try_lock()) {
    }
  }
  bool try_lock() { return !held_.exchange(true); }
  void unlock() { held_.store(false); }

 private:
  std::atomic<bool> held_{false};
};

// A try looks several times before it returns, and yields in between: a call that returns is
// progress, however often the thread yielded while nothing changed. A broken one looks until it has
// the lock.
template <int kLooks>
class YieldingTry {
 public:
  void lock() {
    while (!try_lock()) {
    }
  }
  bool try_lock() {
    for (int i = 0; kLooks == 0 || i < kLooks; ++i) {
      if (!held_.exchange(true, std::memory_order_acquire)) return true;
      sched_yield();
    }
    return false;
  }
  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> held_{false};
};

// A pool of three leases. The free ones are a stack of numbers, whose head has a tag that each
// change increases, or none: then a lease that was taken and given back looks as if nothing had
// happened.
template <bool kTagged>
class Pool {
 public:
  static constexpr std::uint32_t kLeases = 3;
  static constexpr lockbench::LockPromises kPromises{.one_lock = true, .capacity = kLeases};

  class Handle {
   public:
    explicit Handle(Pool& pool) : pool_(pool) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    void lock() {
      while (!try_lock()) sched_yield();
    }
    bool try_lock() { return pool_.pop(lease_); }
    void unlock() { pool_.push(lease_); }
    std::uint32_t lease() const { return lease_; }

   private:
    Pool& pool_;
    std::uint32_t lease_ = 0;
  };

  Pool() {
    for (std::uint32_t lease = 0; lease < kLeases; ++lease) next_[lease].store(lease + 1);
  }

  Handle handle(std::uint64_t) { return Handle(*this); }
  static constexpr std::uint32_t capacity() { return kLeases; }
  std::size_t lock_bytes() const { return sizeof *this; }

 private:
  static constexpr std::uint64_t kTag = kTagged ? std::uint64_t{1} << 32 : 0;
  static constexpr std::uint64_t kNumber = kTag - 1;

  static std::uint64_t number_in(std::uint64_t head) { return kTagged ? head & kNumber : head; }
  static std::uint64_t with_number(std::uint64_t head, std::uint64_t number) {
    return kTagged ? (head & ~kNumber) + kTag + number : number;
  }

  bool pop(std::uint32_t& lease) {
    std::uint64_t head = head_.load();
    for (;;) {
      const std::uint64_t first = number_in(head);
      if (first == kLeases) return false;
      const std::uint64_t second = next_[first].load();
      if (!head_.compare_exchange_strong(head, with_number(head, second))) continue;
      lease = static_cast<std::uint32_t>(first);
      return true;
    }
  }
  void push(std::uint32_t lease) {
    std::uint64_t head = head_.load();
    do {
      next_[lease].store(number_in(head));
    } while (!head_.compare_exchange_strong(head, with_number(head, lease)));
  }

  std::atomic<std::uint64_t> head_{0};
  std::array<std::atomic<std::uint64_t>, kLeases> next_;
};

// Polls until its timeout is over. A broken one keeps it in 32 bits of microseconds, or gives up
// when half of it is over: that is seen by who looks at the clock before the end.
enum class Ends { kInTime, kInMicroseconds, kHalfway };

template <Ends kEnds>
class PollingTimeout {
  using Clock = std::chrono::steady_clock;

 public:
  static constexpr lockbench::LockPromises kPromises{.timed = true};

  void lock() {
    while (!try_lock()) sched_yield();
  }
  bool try_lock() { return !held_.exchange(true, std::memory_order_acquire); }
  bool try_lock_for(std::chrono::nanoseconds timeout) {
    const Clock::time_point end = Clock::now() + waited(timeout);
    while (!try_lock()) {
      if (Clock::now() >= end) return false;
      sched_yield();
    }
    return true;
  }
  bool try_lock_until(Clock::time_point end) { return try_lock_for(end - Clock::now()); }
  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  static std::chrono::nanoseconds waited(std::chrono::nanoseconds timeout) {
    using std::chrono::microseconds;
    if (kEnds == Ends::kHalfway) return timeout / 2;
    if (kEnds == Ends::kInTime) return timeout;
    const auto cut = std::chrono::ceil<microseconds>(timeout).count();
    return microseconds(static_cast<std::int32_t>(cut));
  }

  std::atomic<bool> held_{false};
};

// Two leases, in a class without a constructor. Its members are public, so it is an aggregate, and
// nobody means its first two members by the numbers of keys and leases that other pools are made
// for. A broken one frees both leases at once.
template <bool kFreesBoth>
struct AggregatePool {
  static constexpr std::uint32_t kLeases = 2;
  static constexpr lockbench::LockPromises kPromises{.one_lock = true, .capacity = kLeases};

  class Handle {
   public:
    explicit Handle(AggregatePool& pool) : pool_(pool) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    void lock() {
      while (!try_lock()) sched_yield();
    }
    bool try_lock() {
      for (lease_ = 0; lease_ < kLeases; ++lease_) {
        const std::uint64_t own = std::uint64_t{1} << lease_;
        if ((pool_.taken.fetch_or(own, std::memory_order_acquire) & own) == 0) return true;
      }
      return false;
    }
    void unlock() {
      const std::uint64_t freed = kFreesBoth ? ~std::uint64_t{0} : std::uint64_t{1} << lease_;
      pool_.taken.fetch_and(~freed, std::memory_order_release);
    }
    std::uint32_t lease() const { return lease_; }

   private:
    AggregatePool& pool_;
    std::uint32_t lease_ = 0;
  };

  Handle handle(std::uint64_t) { return Handle(*this); }
  static constexpr std::uint32_t capacity() { return kLeases; }
  std::size_t lock_bytes() const { return sizeof *this; }

  std::atomic<std::uint64_t> taken{0};
  std::uint32_t unused = 0;
};

// Its state lies under two mutexes, which unlock() takes in the same order as lock(), in the other
// order, or the second of them twice.
enum class Order { kSame, kOther, kTwice };

template <Order kOrder, class Mutex = std::mutex>
class UnderTwo {
 public:
  void lock() {
    while (!try_lock()) sched_yield();
  }
  bool try_lock() {
    const std::lock_guard<Mutex> first(first_);
    const std::lock_guard<Mutex> second(second_);
    return !held_ && (held_ = true);
  }
  void unlock() {
    Mutex& outer = kOrder == Order::kSame ? first_ : second_;
    Mutex& inner = kOrder == Order::kOther ? first_ : second_;
    const std::lock_guard<Mutex> one(outer);
    const std::lock_guard<Mutex> other(inner);
    held_ = false;
  }

 private:
  Mutex first_;
  Mutex second_;
  bool held_ = false;
};

}  // namespace

LOCKBENCH_PLUGIN(locks) {
  locks.add_alone<WritesNodeLast<true>>("own_node_last", "writes its own node last");
  locks.add_alone<WritesNodeLast<false>>("other_node_last",
                                         "writes the node of the holder before last");
  locks.add_alone<CombiningSemaphore<false>>("combining", "a semaphore whose releases combine");
  locks.add_alone<CombiningSemaphore<true>>("combining_all",
                                            "the same, and a try asks for all permits");
  locks.add_alone<WordOfTwoSizes<true>>("two_sizes", "a queue in one word, accessed in two sizes");
  locks.add_alone<WordOfTwoSizes<false>>("two_sizes_relaxed",
                                         "the same, and does not publish its nodes");
  locks.add_alone<CompilerFenced<true>>("compiler_fenced", "ordered by signal fences");
  locks.add_alone<CompilerFenced<false>>("compiler_unfenced", "the same without the fences");
  locks.add_alone<YieldingTry<16>>("yielding_try", "a try looks 16 times, and yields in between");
  locks.add_alone<YieldingTry<0>>("yielding_try_stays", "a try looks until it has the lock");
  locks.add<Pool<true>>("tagged_pool", "a stack of free leases, with tags");
  locks.add<Pool<false>>("untagged_pool", "the same without tags");
  locks.add_alone<PollingTimeout<Ends::kInTime>>("polling", "polls until its timeout is over");
  locks.add_alone<PollingTimeout<Ends::kInMicroseconds>>("polling_32_bits",
                                                         "in 32 bits of microseconds");
  locks.add_alone<PollingTimeout<Ends::kHalfway>>("polling_half", "until half of it is over");
  locks.add<AggregatePool<false>>("aggregate_pool", "a pool of leases without a constructor");
  locks.add<AggregatePool<true>>("aggregate_pool_frees", "the same, and a release frees all");
  locks.add_alone<UnderTwo<Order::kSame>>("under_two", "two mutexes inside, in one order");
  locks.add_alone<UnderTwo<Order::kOther>>("under_two_crossed",
                                           "the same, and unlock() in the other");
  locks.add_alone<UnderTwo<Order::kTwice>>("under_two_twice", "unlock() takes one of them twice");
  locks.add_alone<UnderTwo<Order::kSame, PortedMutex>>("under_two_ported",
                                                       "of the platform's mutexes");
  locks.add_alone<UnderTwo<Order::kOther, PortedMutex>>("under_two_ported_crossed",
                                                        "the same, crossed");
  locks.add_alone<SpinsInOrder>("spins_in_order", "spins by sequentially consistent updates");
}
