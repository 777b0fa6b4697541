// HolderTable: the nodes that hold keys beside the one that a bucket has room for.
//
// It is a list while they are few, and a table of lists from then on, which follows their number;
// the last one to leave takes the table along. The nodes lie in handles: one more costs no
// allocation, but that of a table four times as large when they are more than its lists. Where
// memory is short the lists grow longer instead.
//
// Requires     a mutex of the bucket around every call; nodes that are in no WaitQueue.
// Cost         O(1) on average, if the bits of the hashes above kSpent are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "primitives/platform/spin.h"

namespace lockbench::internal {

// `Node` has a hash, same_key(), and links `previous` and `next` that are assignable from Node*.
template <class Node>
class HolderTable {
 public:
  // The node that holds the key of `node`, or null.
  Node* find(const Node& node) const {
    for (Node* n = list_of(node.hash); n != nullptr; n = static_cast<Node*>(n->next)) {
      if (n->same_key(node)) return n;
    }
    return nullptr;
  }

  void add(Node& node) {
    if (size_ >= lists_ * kLongList) grow();
    ++size_;
    link(node);
  }

  void remove(Node& node) {
    if (node.next != nullptr) node.next->previous = node.previous;
    if (node.previous != nullptr) {
      node.previous->next = node.next;
    } else {
      list_of(node.hash) = static_cast<Node*>(node.next);
    }
    if (--size_ == 0 && lists_ != 1) {
      table_.reset();
      lists_ = 1;
    }
  }

  std::size_t size() const { return size_; }
  std::size_t table_bytes() const { return lists_ == 1 ? 0 : lists_ * sizeof(Node*); }

 private:
  static constexpr std::uint32_t kLongList = platform::spins(2);
  static constexpr std::uint32_t kMostLists = 1U << 24;
  static constexpr int kSpent = 24;  // bits of a hash that chose the bucket

  Node*& list_of(std::uint64_t hash) {
    return lists_ == 1 ? only_ : table_[(hash >> kSpent) & (lists_ - 1)];
  }
  Node* list_of(std::uint64_t hash) const { return const_cast<HolderTable*>(this)->list_of(hash); }

  void link(Node& node) {
    Node*& first = list_of(node.hash);
    node.previous = nullptr;
    node.next = first;
    if (first != nullptr) first->previous = &node;
    first = &node;
  }

  void grow() {
    if (lists_ == kMostLists) return;
    const std::uint32_t lists = lists_ * 4;
    std::unique_ptr<Node*[]> table(new (std::nothrow) Node*[lists]());
    if (table == nullptr) return;
    const std::unique_ptr<Node*[]> before = std::exchange(table_, std::move(table));
    Node* const only = std::exchange(only_, nullptr);
    const std::uint32_t count = std::exchange(lists_, lists);
    for (std::uint32_t i = 0; i < count; ++i) {
      for (Node* n = count == 1 ? only : before[i]; n != nullptr;) {
        Node* const next = static_cast<Node*>(n->next);
        link(*n);
        n = next;
      }
    }
  }

  std::unique_ptr<Node*[]> table_;  // when there are several lists
  Node* only_ = nullptr;            // when there is one
  std::uint32_t lists_ = 1;         // a power of four
  std::uint32_t size_ = 0;
};

}  // namespace lockbench::internal
