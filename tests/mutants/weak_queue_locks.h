// SPDX-License-Identifier: Apache-2.0

// Queue locks, and a variant of each in which one memory order is too weak. x86 with its store
// buffers never shows the fault, and a thread that acquires the lock is still ordered after the
// last holder.
//
// Requires     simulated threads: nodes are chosen by their numbers.
//
// Source  J. Mellor-Crummey and M. Scott, "Algorithms for Scalable Synchronization on Shared-Memory
//         Multiprocessors", 1991; T. Craig, "Building FIFO and Priority-Queuing Spin Locks from
//         Atomic Swap", 1993; P. Magnusson, A. Landin and E. Hagersten, 1994.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "primitives/platform/atomic.h"
#include "primitives/platform/spin.h"
#include "primitives/platform/thread.h"

namespace lockbench::mutants {

// Simulated threads are numbered; so are their tokens.
inline constexpr std::size_t kSimulatedThreads = 20;
inline std::size_t number_of_this_thread() {
  return static_cast<std::size_t>(platform::this_thread()) % kSimulatedThreads;
}

enum class McsFault {
  kNone,
  kTailDoesNotRelease,  // the node is prepared, but the exchange that enters it does not say so
  kLinkDoesNotRelease,  // the link to the node does not
  kLinkIsNotAcquired,   // and here who follows the link does not ask
};

template <McsFault kFault>
class McsLock {
 public:
  void lock() {
    Node& self = prepare();
    Node* const before = tail_.exchange(&self, kEnters);
    if (before == nullptr) return;
    // (1) release: publishes the node to (2).
    before->next.store(&self, kFault == McsFault::kLinkDoesNotRelease ? std::memory_order_relaxed
                                                                      : std::memory_order_release);
    // acquire: from the store in unlock().
    while (self.waits.load(std::memory_order_acquire)) platform::pause();
  }

  bool try_lock() {
    Node* expected = nullptr;
    return tail_.compare_exchange_strong(expected, &prepare(), kEnters, std::memory_order_relaxed);
  }

  void unlock() {
    Node& self = nodes_[number_of_this_thread()];
    for (;;) {
      // (2) acquire: from (1).
      Node* const after =
          self.next.load(kFault == McsFault::kLinkIsNotAcquired ? std::memory_order_relaxed
                                                                : std::memory_order_acquire);
      if (after != nullptr) return after->waits.store(false, std::memory_order_release);
      Node* expected = &self;
      if (tail_.compare_exchange_strong(expected, nullptr, std::memory_order_release,
                                        std::memory_order_relaxed)) {
        return;
      }
      platform::pause();
    }
  }

 private:
  struct Node {
    platform::Atomic<Node*> next{nullptr};
    platform::Atomic<bool> waits{false};
  };

  // acquire: from the last holder, and from who entered before. release: publishes the node.
  static constexpr auto kEnters = kFault == McsFault::kTailDoesNotRelease
                                      ? std::memory_order_acquire
                                      : std::memory_order_acq_rel;

  Node& prepare() {
    Node& self = nodes_[number_of_this_thread()];
    self.next.store(nullptr, std::memory_order_relaxed);
    self.waits.store(true, std::memory_order_relaxed);
    return self;
  }

  std::array<Node, kSimulatedThreads> nodes_;
  platform::Atomic<Node*> tail_{nullptr};
};

enum class ClhFault {
  kNone,
  kTailDoesNotRelease,  // who follows may read in the node what it said for an earlier hold
  kTailIsNotAcquired,   // the same, at the other end
};

template <ClhFault kFault>
class ClhLock {
 public:
  ClhLock() {
    for (std::size_t i = 0; i < kSimulatedThreads; ++i) node_of_[i] = &nodes_[i];
  }

  void lock() {
    Node*& own = node_of_[number_of_this_thread()];
    own->held.store(true, std::memory_order_relaxed);
    Node* const before = tail_.exchange(own, kEnters);
    // acquire: from the store in unlock().
    while (before->held.load(std::memory_order_acquire)) platform::pause();
    held_ = own;
    own = before;  // nobody looks at it any more
  }

  bool try_lock() {
    Node* before = tail_.load(std::memory_order_acquire);
    if (before->held.load(std::memory_order_acquire)) return false;
    Node*& own = node_of_[number_of_this_thread()];
    own->held.store(true, std::memory_order_relaxed);
    if (!tail_.compare_exchange_strong(before, own, kEnters, std::memory_order_relaxed))
      return false;
    // It may have been entered again meanwhile.
    while (before->held.load(std::memory_order_acquire)) platform::pause();
    held_ = own;
    own = before;
    return true;
  }

  void unlock() { held_->held.store(false, std::memory_order_release); }

 private:
  struct Node {
    platform::Atomic<bool> held{false};
  };

  static constexpr auto kEnters = kFault == ClhFault::kNone ? std::memory_order_acq_rel
                                  : kFault == ClhFault::kTailDoesNotRelease
                                      ? std::memory_order_acquire
                                      : std::memory_order_release;

  std::array<Node, kSimulatedThreads + 1> nodes_;
  std::array<Node*, kSimulatedThreads> node_of_;
  platform::Atomic<Node*> tail_{&nodes_[kSimulatedThreads]};
  Node* held_ = nullptr;  // the holder's
};

}  // namespace lockbench::mutants
