// SPDX-License-Identifier: Apache-2.0

// AbandonedQueue: waiters in a queue, which leave their node there when they time out; the holder
// that comes to such a node skips it. The broken one looks whether a node was abandoned, and
// grants it the lock, in two steps.
//
// Source  M. Scott, W. Scherer, "Scalable queue-based spin locks with timeout", 2001.
#pragma once

#include <chrono>

#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/spin.h"
#include "tests/mutants/bases.h"

namespace lockbench::mutants {

enum class AbandonFault {
  kNone,
  kTwoSteps,  // looks whether the next waiter is still there, then grants it the lock
};

template <AbandonFault kFault>
class AbandonedQueue : public WaitsUntil<AbandonedQueue<kFault>> {
 public:
  bool try_lock() {
    Node* const mine = new Node;
    Node* none = nullptr;
    if (last_.compare_exchange_strong(none, mine, std::memory_order_acq_rel)) {
      holder_ = mine;
      return true;
    }
    delete mine;
    return false;
  }

  bool wait_until(platform::Time deadline) {
    Node* const mine = new Node;
    Node* const before = last_.exchange(mine, std::memory_order_acq_rel);
    if (before != nullptr) {
      before->next.store(mine, std::memory_order_release);
      while (mine->state.load(std::memory_order_acquire) == kWaits) {
        if (platform::now() >= deadline && change(*mine, kAbandoned)) return false;
        platform::pause();
      }
    }
    holder_ = mine;
    return true;
  }

  void unlock() {
    Node* node = holder_;
    for (;;) {
      Node* const next = next_of(*node);
      delete node;
      if (next == nullptr || grant(*next)) return;
      node = next;  // abandoned
    }
  }

 private:
  enum State : int { kWaits, kGranted, kAbandoned };

  struct Node {
    platform::Atomic<Node*> next{nullptr};
    platform::Atomic<int> state{kWaits};
  };

  static bool change(Node& node, State to) {
    int waits = kWaits;
    return node.state.compare_exchange_strong(waits, to, std::memory_order_acq_rel);
  }

  static bool grant(Node& node) {
    if (kFault == AbandonFault::kNone) return change(node, kGranted);
    if (node.state.load(std::memory_order_acquire) != kWaits) return false;
    node.state.store(kGranted, std::memory_order_release);
    return true;
  }

  // Null if `node` is the last one; the queue is empty then.
  Node* next_of(Node& node) {
    Node* self = &node;
    if (node.next.load(std::memory_order_acquire) == nullptr &&
        last_.compare_exchange_strong(self, nullptr, std::memory_order_acq_rel)) {
      return nullptr;
    }
    while (node.next.load(std::memory_order_acquire) == nullptr) platform::pause();
    return node.next.load(std::memory_order_acquire);
  }

  platform::Atomic<Node*> last_{nullptr};
  Node* holder_ = nullptr;
};

}  // namespace lockbench::mutants
