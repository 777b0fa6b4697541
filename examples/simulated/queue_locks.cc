// SPDX-License-Identifier: Apache-2.0

// A ticket lock and an MCS lock on lockbench::platform: the very source that is measured is what
// the simulated engine explores, every interleaving of small clients first.
//
//   lockbench run --plugin ./queue_locks.so --primitive global:lock=mcs --primitive global
//   lockbench stress --plugin ./queue_locks.so --engine sim
//
// Porting them took platform::Atomic for std::atomic, and platform::pause() in loops that wait for
// another thread.
#include <lockbench/plugin.h>

#include "primitives/platform/atomic.h"
#include "primitives/platform/spin.h"

namespace {

namespace platform = lockbench::platform;

class TicketLock {
 public:
  void lock() {
    const std::uint32_t mine = next_.fetch_add(1, std::memory_order_relaxed);
    // (1) acquire: synchronizes with (3).
    while (serving_.load(std::memory_order_acquire) != mine) platform::pause();
  }

  bool try_lock() {
    // (2) acquire: synchronizes with (3); whoever then draws the number is served at once.
    std::uint32_t serving = serving_.load(std::memory_order_acquire);
    return next_.compare_exchange_strong(serving, serving + 1, std::memory_order_relaxed);
  }

  void unlock() {
    // relaxed: only the holder writes it. (3) release: publishes what was done inside.
    serving_.store(serving_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

 private:
  platform::Atomic<std::uint32_t> next_{0};
  platform::Atomic<std::uint32_t> serving_{0};
};

// Source: J. Mellor-Crummey and M. Scott, Algorithms for Scalable Synchronization, 1991.
class McsLock {
 public:
  struct Node {
    platform::Atomic<Node*> next{nullptr};
    platform::Atomic<bool> waits{false};
  };

  void lock(Node& node) {
    node.next.store(nullptr, std::memory_order_relaxed);
    node.waits.store(true, std::memory_order_relaxed);
    // (1) acquire: synchronizes with (3), release: publishes the node to (2).
    Node* const before = tail_.exchange(&node, std::memory_order_acq_rel);
    if (before == nullptr) return;
    before->next.store(&node, std::memory_order_release);  // (2) release: publishes the node to (4)
    // acquire: synchronizes with (5).
    while (node.waits.load(std::memory_order_acquire)) platform::pause();
  }

  bool try_lock(Node& node) {
    node.next.store(nullptr, std::memory_order_relaxed);
    Node* expected = nullptr;
    return tail_.compare_exchange_strong(expected, &node, std::memory_order_acq_rel,
                                         std::memory_order_relaxed);
  }

  void unlock(Node& node) {
    Node* next = node.next.load(std::memory_order_acquire);  // (4)
    if (next == nullptr) {
      Node* expected = &node;
      // (3) release: publishes what was done inside.
      if (tail_.compare_exchange_strong(expected, nullptr, std::memory_order_release,
                                        std::memory_order_relaxed)) {
        return;
      }
      // Somebody has queued, and is about to say so in the node.
      while ((next = node.next.load(std::memory_order_acquire)) == nullptr) platform::pause();
    }
    next->waits.store(false, std::memory_order_release);  // (5) release: as (3)
  }

 private:
  platform::Atomic<Node*> tail_{nullptr};
};

}  // namespace

LOCKBENCH_PLUGIN(locks) {
  locks.add<TicketLock>("ticket", "first come, first served");
  locks.add<McsLock>("mcs", "a queue; each waiter spins on its own node");
}
