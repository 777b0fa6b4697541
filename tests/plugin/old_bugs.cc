// SPDX-License-Identifier: Apache-2.0

// Two algorithms as they were published first, with the fault that was found in each later, and as
// they were corrected.
#include <atomic>
#include <cstdint>
#include <linux/futex.h>
#include <lockbench/plugin.h>
#include <mutex>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

using lockbench::LockPromises;

// J. Mellor-Crummey, M. Scott, "Scalable reader-writer synchronization for shared-memory
// multiprocessors", 1991: the fair queue lock. A reader that leaves last hands the lock to the
// writer that was named meanwhile; as printed, it did not look whether new readers had come.
template <bool kLooksAgain>
class FairQueue {
 public:
  struct Node {
    std::atomic<Node*> next{nullptr};
    // Bit 0: blocked. Bits 1 and 2: the class of the successor.
    std::atomic<unsigned> state{0};
    bool writes = false;
  };

  void lock(Node& node) {
    node.writes = true;
    node.next.store(nullptr);
    node.state.store(kBlocked);
    Node* const before = tail_.exchange(&node);
    if (before == nullptr) {
      next_writer_.store(&node);
      if (readers_.load() == 0 && next_writer_.exchange(nullptr) == &node) {
        node.state.fetch_and(~kBlocked);
      }
    } else {
      before->state.fetch_or(kWriterFollows);
      before->next.store(&node);
    }
    await(node);
  }
  // It was published without tries.
  static bool try_lock(Node&) { return false; }
  void unlock(Node& node) {
    Node* const next = successor(node);
    if (next == nullptr) return;
    if (!next->writes) readers_.fetch_add(1);
    next->state.fetch_and(~kBlocked);
  }

  void lock_shared(Node& node) {
    node.writes = false;
    node.next.store(nullptr);
    node.state.store(kBlocked);
    Node* const before = tail_.exchange(&node);
    if (before == nullptr) {
      readers_.fetch_add(1);
      node.state.fetch_and(~kBlocked);
    } else {
      unsigned waits = kBlocked;
      if (before->writes ||
          before->state.compare_exchange_strong(waits, kBlocked | kReaderFollows)) {
        before->next.store(&node);
        await(node);
      } else {
        readers_.fetch_add(1);
        before->next.store(&node);
        node.state.fetch_and(~kBlocked);
      }
    }
    if ((node.state.load() & kReaderFollows) != 0) {
      Node* next = nullptr;
      while ((next = node.next.load()) == nullptr) sched_yield();
      readers_.fetch_add(1);
      next->state.fetch_and(~kBlocked);
    }
  }
  static bool try_lock_shared(Node&) { return false; }
  void unlock_shared(Node& node) {
    Node* const next = successor(node);
    if (next != nullptr && (node.state.load() & kWriterFollows) != 0) next_writer_.store(next);
    if (readers_.fetch_sub(1) != 1) return;
    Node* writer = nullptr;
    if constexpr (kLooksAgain) {
      writer = next_writer_.load();
      if (writer == nullptr || readers_.load() != 0) return;
      if (!next_writer_.compare_exchange_strong(writer, nullptr)) return;
    } else {
      writer = next_writer_.exchange(nullptr);
      if (writer == nullptr) return;
    }
    writer->state.fetch_and(~kBlocked);
  }

 private:
  static constexpr unsigned kBlocked = 1;
  static constexpr unsigned kReaderFollows = 2;
  static constexpr unsigned kWriterFollows = 4;

  static void await(Node& node) {
    while ((node.state.load() & kBlocked) != 0) sched_yield();
  }
  // nullptr: nobody waits behind `node`, and it is no more in the queue.
  Node* successor(Node& node) {
    if (Node* const next = node.next.load(); next != nullptr) return next;
    Node* last = &node;
    if (tail_.compare_exchange_strong(last, nullptr)) return nullptr;
    Node* next = nullptr;
    while ((next = node.next.load()) == nullptr) sched_yield();
    return next;
  }

  std::atomic<Node*> tail_{nullptr};
  std::atomic<unsigned> readers_{0};
  std::atomic<Node*> next_writer_{nullptr};
};

long futex(std::atomic<unsigned>& word, int operation, unsigned value) {
  return syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, nullptr, nullptr, 0);
}

// The condition variable of glibc 2.25 to 2.40: waiters form groups, which use two sets of words
// in turn. A waiter of a closed group may take a signal of the group that uses its words now;
// bug 25847: it does not always put it back. Since 2.41 it cannot take one.
template <bool kTakesOwnSignals>
class GroupedCondition {
 public:
  template <class Mutex>
  void wait(Mutex& mutex) {
    const std::uint64_t sequence = waiters_.fetch_add(2, std::memory_order_acquire);
    const unsigned group = sequence & 1;
    const std::uint64_t position = sequence >> 1;
    inside_.fetch_add(1, std::memory_order_relaxed);
    mutex.unlock();
    if constexpr (kTakesOwnSignals) {
      take_own_signal(group, position);
    } else {
      take_signal(group, position);
    }
    inside_.fetch_sub(1, std::memory_order_release);
    mutex.lock();
  }

  void notify_one() {
    if (inside_.load(std::memory_order_relaxed) == 0) return;
    internal_.lock();
    const std::uint64_t sequence = waiters_.load(std::memory_order_relaxed);
    unsigned first = (sequence & 1) ^ 1;
    const bool wakes = size_[first] != 0 || switch_groups(sequence >> 1, first);
    if (wakes) {
      signals_[first].fetch_add(2, std::memory_order_relaxed);
      --size_[first];
    }
    internal_.unlock();
    if (wakes) futex(signals_[first], FUTEX_WAKE, 1);
  }

 private:
  void take_signal(unsigned group, std::uint64_t position) {
    std::atomic<unsigned>& signals = signals_[group];
    unsigned seen = signals.load(std::memory_order_acquire);
    do {
      while (true) {
        if ((seen & 1) != 0) return;
        if (seen != 0) break;
        references_[group].fetch_add(2, std::memory_order_acquire);
        if ((signals.load(std::memory_order_acquire) & 1) != 0 ||
            position < (first_start_.load(std::memory_order_relaxed) >> 1)) {
          drop_reference(group);
          return;
        }
        futex(signals, FUTEX_WAIT, 0);
        drop_reference(group);
        seen = signals.load(std::memory_order_acquire);
      }
    } while (!signals.compare_exchange_weak(seen, seen - 2, std::memory_order_acquire,
                                            std::memory_order_relaxed));
    put_back_what_was_taken_of_another_group(group, position);
  }

  void put_back_what_was_taken_of_another_group(unsigned group, std::uint64_t position) {
    const std::uint64_t start = first_start_.load(std::memory_order_relaxed);
    if (position >= (start >> 1) || ((start & 1) ^ 1) != group) return;
    unsigned seen = signals_[group].load(std::memory_order_relaxed);
    while (start == first_start_.load(std::memory_order_relaxed)) {
      if ((seen & 1) != 0 ||
          signals_[group].compare_exchange_weak(seen, seen + 2, std::memory_order_relaxed)) {
        futex(signals_[group], FUTEX_WAKE, 1);
        return;
      }
    }
  }

  void take_own_signal(unsigned group, std::uint64_t position) {
    std::atomic<unsigned>& signals = signals_[group];
    while (true) {
      unsigned seen = signals.load(std::memory_order_acquire);
      const std::uint64_t start = first_start_.load(std::memory_order_acquire);
      if (position < (start >> 1)) return;
      const unsigned least = (start & 1) == group ? seen : static_cast<unsigned>(start) & ~1U;
      if (static_cast<int>(seen - least) >= 2) {
        if (signals.compare_exchange_weak(seen, seen - 2, std::memory_order_acquire,
                                          std::memory_order_relaxed)) {
          return;
        }
        continue;
      }
      futex(signals, FUTEX_WAIT, seen);
    }
  }

  // The waiters that came since become the first group. False: nobody came.
  bool switch_groups(std::uint64_t sequence, unsigned& first) {
    const std::uint64_t start = first_start_.load(std::memory_order_relaxed);
    const std::uint64_t old_start = start >> 1;
    if (static_cast<unsigned>(sequence - old_start - original_size_) + size_[first ^ 1] == 0) {
      return false;
    }
    const std::uint64_t step =
        (std::uint64_t{original_size_} << 1) + (first == 1 ? 1 : ~std::uint64_t{0});
    if constexpr (kTakesOwnSignals) {
      const auto no_signal = static_cast<unsigned>((old_start + original_size_) << 1);
      first_start_.fetch_add(step, std::memory_order_release);
      // release, both: who reads them as they are now knows that the groups were switched.
      signals_[first ^ 1].store(no_signal, std::memory_order_release);
      signals_[first].store(no_signal, std::memory_order_release);
      futex(signals_[first], FUTEX_WAKE, 0x7fff'ffff);
    } else {
      signals_[first].fetch_or(1, std::memory_order_relaxed);
      for (unsigned seen = references_[first].fetch_or(0, std::memory_order_release);
           (seen >> 1) > 0; seen = references_[first].load(std::memory_order_relaxed)) {
        seen = references_[first].fetch_or(1, std::memory_order_relaxed);
        if ((seen >> 1) > 0) futex(references_[first], FUTEX_WAIT, seen | 1);
      }
      std::atomic_thread_fence(std::memory_order_acquire);
      first_start_.fetch_add(step, std::memory_order_relaxed);
      signals_[first].store(0, std::memory_order_release);
    }
    const std::uint64_t now = waiters_.fetch_xor(1, std::memory_order_release) >> 1;
    first ^= 1;
    const auto size = static_cast<unsigned>(now - (old_start + original_size_));
    original_size_ = size;
    size_[first] += size;
    return size_[first] != 0;
  }

  void drop_reference(unsigned group) {
    if (references_[group].fetch_sub(2, std::memory_order_release) != 3) return;
    references_[group].fetch_and(~1U, std::memory_order_relaxed);
    futex(references_[group], FUTEX_WAKE, 0x7fff'ffff);
  }

  std::atomic<std::uint64_t> waiters_{0};
  std::atomic<std::uint64_t> first_start_{0};
  std::atomic<unsigned> inside_{0};
  std::atomic<unsigned> signals_[2] = {};
  std::atomic<unsigned> references_[2] = {};
  std::mutex internal_;
  unsigned size_[2] = {};
  unsigned original_size_ = 0;
};

template <bool kTakesOwnSignals>
class ConditionLock {
 public:
  void lock() {
    const std::lock_guard guard(mutex_);
    while (held_) condition_.wait(mutex_);
    held_ = true;
  }
  bool try_lock() {
    const std::lock_guard guard(mutex_);
    return !std::exchange(held_, true);
  }
  void unlock() {
    {
      const std::lock_guard guard(mutex_);
      held_ = false;
    }
    condition_.notify_one();
  }

 private:
  std::mutex mutex_;
  GroupedCondition<kTakesOwnSignals> condition_;
  bool held_ = false;
};

}  // namespace

LOCKBENCH_PLUGIN(locks) {
  locks.add_alone<FairQueue<true>>("fair_queue", "the fair queue lock, corrected");
  locks.add_alone<FairQueue<false>>("fair_queue_printed", "the fair queue lock as printed");
  locks.add_alone<ConditionLock<true>>("grouped", "glibc's condition variable since 2.41");
  locks.add_alone<ConditionLock<false>>("grouped_25847", "glibc's condition variable before");
}
