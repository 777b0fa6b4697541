// SPDX-License-Identifier: Apache-2.0

// ListLock: waiters in a list, each of which reads a word of its own; and variants with one
// fault each.
//
// Source  J. Mellor-Crummey, M. Scott, "Algorithms for Scalable Synchronization on Shared-Memory
//         Multiprocessors", 1991.
#pragma once

#include "primitives/platform/atomic.h"
#include "primitives/platform/spin.h"

namespace lockbench::mutants {

enum class ListFault {
  kNone,
  kForgetsSuccessor,  // empties the list without checking whether a thread has joined it meanwhile
  kFlagLate,          // sets its flag when its predecessor may have cleared it already
  kNoWaitForLink,     // treats a successor that has not linked itself yet as none
  // Memory orders that are too weak, which store buffers do not show:
  kTailDoesNotRelease,  // the node is prepared, but the exchange that enters it does not say so
  kLinkDoesNotRelease,  // the link to the node does not
  kLinkIsNotAcquired,   // and here who follows the link does not ask
};

template <ListFault kFault>
class ListLock {
 public:
  struct Node {
    platform::Atomic<Node*> next{nullptr};
    platform::Atomic<bool> waits{false};
  };

  void lock(Node& mine) {
    constexpr bool kLate = kFault == ListFault::kFlagLate;
    mine.next.store(nullptr, std::memory_order_relaxed);
    if (!kLate) mine.waits.store(true, std::memory_order_relaxed);
    Node* const before = last_.exchange(&mine, kEnters);
    if (before == nullptr) return;
    before->next.store(&mine, kLinks);
    if (kLate) mine.waits.store(true, std::memory_order_relaxed);
    while (mine.waits.load(std::memory_order_acquire)) platform::pause();
  }

  bool try_lock(Node& mine) {
    mine.next.store(nullptr, std::memory_order_relaxed);
    Node* none = nullptr;
    return last_.compare_exchange_strong(none, &mine, kEnters, std::memory_order_relaxed);
  }

  void unlock(Node& mine) {
    Node* next = mine.next.load(kFollows);
    if (next == nullptr) next = empty(mine);
    if (next != nullptr) next->waits.store(false, std::memory_order_release);
  }

 private:
  // acquire: from the last holder, and from who entered before. release: publishes the node.
  static constexpr auto kEnters = kFault == ListFault::kTailDoesNotRelease
                                      ? std::memory_order_acquire
                                      : std::memory_order_acq_rel;
  // (1) release: publishes the node to (2), which acquires.
  static constexpr auto kLinks = kFault == ListFault::kLinkDoesNotRelease
                                     ? std::memory_order_relaxed
                                     : std::memory_order_release;
  static constexpr auto kFollows = kFault == ListFault::kLinkIsNotAcquired  // (2)
                                       ? std::memory_order_relaxed
                                       : std::memory_order_acquire;

  // Null when the list is empty; else the successor.
  Node* empty(Node& mine) {
    if constexpr (kFault == ListFault::kForgetsSuccessor) {
      last_.exchange(nullptr, std::memory_order_acq_rel);
      return mine.next.load(std::memory_order_acquire);
    }
    Node* self = &mine;
    if (last_.compare_exchange_strong(self, nullptr, std::memory_order_acq_rel,
                                      std::memory_order_relaxed)) {
      return nullptr;
    }
    Node* next = mine.next.load(kFollows);
    if constexpr (kFault == ListFault::kNoWaitForLink) return next;
    for (; next == nullptr; next = mine.next.load(kFollows)) platform::pause();
    return next;
  }

  platform::Atomic<Node*> last_{nullptr};
};

}  // namespace lockbench::mutants
