// SPDX-License-Identifier: Apache-2.0

// KeyQueues: the holders of the keys of one bucket of a table, and the waiters for these keys.
//
// A thread's claim on a key is a node inside its handle, so a table of any size allocates nothing
// for keys, and an idle key leaves nothing behind.
//
// Requires     a mutex of the bucket around every call.
// Cost         each is a walk: O(keys held at once in the bucket), or O(waiters in it).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "primitives/internal/wait_queue.h"
#include "primitives/key.h"

namespace lockbench::internal {

template <class K, class Hash>
struct KeyNode : Waiter {
  KeyNode(std::uint64_t h, K k) : hash(h), key(std::move(k)) {}

  bool same_key(const KeyNode& other) const {
    return hash == other.hash && KeyTraits<Hash>::equal(key, other.key);
  }

  const std::uint64_t hash;
  const K key;
  KeyNode* next_holder = nullptr;
};

// `Node` is a KeyNode or derived from one.
template <class Node>
struct KeyQueues {
  // The node that holds the key of `node`, or null.
  Node* holder_of(const Node& node) const {
    Node* n = holders;
    while (n != nullptr && !n->same_key(node)) n = next_of(*n);
    return n;
  }

  void add_holder(Node& node) {
    node.next_holder = holders;
    holders = &node;
  }

  void remove_holder(const Node& node) {
    if (holders == &node) {
      holders = next_of(node);
      return;
    }
    Node* before = holders;
    while (next_of(*before) != &node) before = next_of(*before);
    before->next_holder = node.next_holder;
  }

  // The waiter for the same key that came first, or null.
  Node* first_waiter_for(const Node& node) const {
    for (Waiter* w = waiters.first(); w != nullptr; w = w->next) {
      if (static_cast<Node*>(w)->same_key(node)) return static_cast<Node*>(w);
    }
    return nullptr;
  }

  std::size_t waiters_for(const Node& node) const {
    std::size_t count = 0;
    for (Waiter* w = waiters.first(); w != nullptr; w = w->next) {
      if (static_cast<Node*>(w)->same_key(node)) ++count;
    }
    return count;
  }

  std::size_t keys_held() const {
    std::size_t count = 0;
    for (const Node* n = holders; n != nullptr; n = next_of(*n)) ++count;
    return count;
  }

  static Node* next_of(const Node& node) { return static_cast<Node*>(node.next_holder); }

  Node* holders = nullptr;
  WaitQueue waiters;
};

}  // namespace lockbench::internal
