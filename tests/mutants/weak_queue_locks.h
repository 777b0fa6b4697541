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
#include "tests/mutants/queue_lock.h"

namespace lockbench::mutants {

// Simulated threads are numbered; so are their tokens.
inline constexpr std::size_t kSimulatedThreads = 20;
inline std::size_t number_of_this_thread() {
  return static_cast<std::size_t>(platform::this_thread()) % kSimulatedThreads;
}

// A node for each thread, which lives as long as the lock.
template <ListFault kFault>
class McsLock {
 public:
  void lock() { list_.lock(own_node()); }
  bool try_lock() { return list_.try_lock(own_node()); }
  void unlock() { list_.unlock(own_node()); }

 private:
  using List = ListLock<kFault>;

  typename List::Node& own_node() { return nodes_[number_of_this_thread()]; }

  std::array<typename List::Node, kSimulatedThreads> nodes_;
  List list_;
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
