// SPDX-License-Identifier: Apache-2.0

// NodeLock: test-and-set, with an object on the heap for each hold; the faults manage
// that memory wrongly.
#pragma once

#include "primitives/platform/atomic.h"
#include "primitives/platform/spin.h"
#include "tests/mutants/bases.h"

namespace lockbench::mutants {

enum class NodeFault {
  kNone,
  kLeaks,          // keeps the object of each hold for ever
  kFreesTwice,     // frees every fourth object again
  kStoresTooLate,  // marks every fourth object when it is freed already
};

template <NodeFault kFault>
class NodeLock : public Spins<NodeLock<kFault>> {
 public:
  bool try_lock() {
    if (held_.exchange(true, std::memory_order_acquire)) return false;
    node_ = new Node;
    return true;
  }

  void unlock() {
    Node* const node = node_;
    Node* gone = node;
    asm volatile("" : "+r"(gone));  // else the compiler sees the faults
    const bool fourth = ++holds_ % 4 == 0;
    // The last store to the object need not have left the processor when it is freed.
    node->over.store(true, std::memory_order_relaxed);
    if (kFault != NodeFault::kLeaks) delete node;
    if (kFault == NodeFault::kFreesTwice && fourth) delete gone;
    if (kFault == NodeFault::kStoresTooLate && fourth) {
      gone->over.store(true, std::memory_order_relaxed);
    }
    held_.store(false, std::memory_order_release);
  }

 private:
  struct Node {
    platform::Atomic<bool> over{false};
  };

  platform::Atomic<bool> held_{false};
  Node* node_ = nullptr;  // the holder's
  unsigned holds_ = 0;    // only the holder counts
};

}  // namespace lockbench::mutants
