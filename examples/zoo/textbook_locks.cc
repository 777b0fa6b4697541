// SPDX-License-Identifier: Apache-2.0

// Spin locks as textbooks and lock libraries have them, on std::atomic.
// docs/laboratory/prediction-accuracy.md sets predictions for them beside what others measured.
//
//   lockbench predict --plugin ./textbook_locks.so --machine epyc-7773x --primitive global:lock=mcs
//   lockbench stress --plugin ./textbook_locks.so --engine sim
//
// Sources: T. Anderson, "The Performance of Spin Lock Alternatives for Shared-Memory
// Multiprocessors", 1990 (test-and-set, test-and-test-and-set, back-off); J. Mellor-Crummey,
// M. Scott, "Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors", 1991
// (ticket lock, MCS lock).
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <lockbench/plugin.h>

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// The word of the first four locks: false free | true held.
class FlagLock {
 public:
  bool try_lock() { return !held_.exchange(true, kAcquire); }
  void unlock() { held_.store(false, kRelease); }

 protected:
  bool is_held() const { return held_.load(kRelaxed); }

  std::atomic<bool> held_{false};
};

class TestAndSet : public FlagLock {
 public:
  void lock() {
    while (!try_lock()) pause();
  }
};

class TestAndTestAndSet : public FlagLock {
 public:
  void lock() {
    do {
      while (is_held()) pause();
    } while (!try_lock());
  }
};

// It tries before it looks.
class CompareAndSwap : public FlagLock {
 public:
  bool try_lock() {
    bool held = false;
    return held_.compare_exchange_strong(held, true, kAcquire, kRelaxed);
  }
  void lock() {
    while (!try_lock()) {
      while (is_held()) pause();
    }
  }
};

class BackOff : public FlagLock {
 public:
  void lock() {
    for (std::uint32_t pauses = 1; !try_lock(); pauses = std::min(2 * pauses, kMostPauses)) {
      for (std::uint32_t i = 0; i < pauses; ++i) pause();
      while (is_held()) pause();
    }
  }

 private:
  static constexpr std::uint32_t kMostPauses = 1024;
};

class Ticket {
 public:
  void lock() {
    const std::uint32_t mine = next_.fetch_add(1, kRelaxed);
    while (serving_.load(kAcquire) != mine) pause();
  }
  bool try_lock() {
    std::uint32_t serving = serving_.load(kAcquire);
    return next_.compare_exchange_strong(serving, serving + 1, kAcquire, kRelaxed);
  }
  // Only the holder changes what is served.
  void unlock() { serving_.store(serving_.load(kRelaxed) + 1, kRelease); }

 private:
  alignas(64) std::atomic<std::uint32_t> next_{0};
  alignas(64) std::atomic<std::uint32_t> serving_{0};
};

class Mcs {
 public:
  struct alignas(64) Node {
    std::atomic<Node*> next{nullptr};
    std::atomic<bool> waits{false};
  };

  void lock(Node& node) {
    node.next.store(nullptr, kRelaxed);
    node.waits.store(true, kRelaxed);
    Node* const before = tail_.exchange(&node, std::memory_order_acq_rel);
    if (before == nullptr) return;
    before->next.store(&node, kRelease);
    while (node.waits.load(kAcquire)) pause();
  }
  bool try_lock(Node& node) {
    node.next.store(nullptr, kRelaxed);
    Node* last = nullptr;
    return tail_.compare_exchange_strong(last, &node, std::memory_order_acq_rel, kRelaxed);
  }
  void unlock(Node& node) {
    Node* next = node.next.load(kAcquire);
    if (next == nullptr) {
      Node* last = &node;
      if (tail_.compare_exchange_strong(last, nullptr, kRelease, kRelaxed)) return;
      while ((next = node.next.load(kAcquire)) == nullptr) pause();
    }
    next->waits.store(false, kRelease);
  }

 private:
  std::atomic<Node*> tail_{nullptr};
};

}  // namespace

LOCKBENCH_PLUGIN(locks) {
  locks.add<TestAndSet>("tas", "exchanges in a loop", "textbook");
  locks.add<TestAndTestAndSet>("ttas", "exchanges when it looks free", "textbook");
  locks.add<CompareAndSwap>("cas", "compares and swaps, then waits until it looks free",
                            "textbook");
  locks.add<BackOff>("backoff", "pauses twice as long after each try", "textbook");
  locks.add<Ticket>("ticket", "first come, first served", "textbook");
  locks.add<Mcs>("mcs", "a queue; each waiter spins on its own node", "textbook");
}
