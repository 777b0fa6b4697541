// SPDX-License-Identifier: Apache-2.0

// HolderTable: the overflow nodes, which hold keys outside of the cells of their bucket.
//
// An open table of words, each a node's address and 16 bits of its key's hash, so that a walk reads
// a node only if those bits are equal. The size follows the number of nodes; the last node frees
// the table. A node needs an allocation only if the table is three quarters full; the new table
// is twice as large.
//
// Requires     a mutex of the bucket around every call.
// Cost         O(1) on average with up to some ten thousand nodes; with more nodes, 16 bits are too
//              few to distinguish them.
//
// Invariants
//   I1  from a word's home, which its 16 bits choose, to the word there is no empty slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "primitives/platform/spin.h"

namespace lockbench::internal {

// `Node` has word(), never 0, with the bits of its key's hash on top; same_key(); and a static at()
// that finds the node of a word.
template <class Node>
class HolderTable {
 public:
  HolderTable() = default;
  HolderTable(const HolderTable&) = delete;
  HolderTable& operator=(const HolderTable&) = delete;
  ~HolderTable() { forget_table(); }

  // True if one of the nodes has the key of `node`.
  bool has_key_of(const Node& node) const {
    if (size_ == 0) return false;
    const std::uint64_t word = node.word();
    if (slots_ == 0) return is_key_of(only_, word, node);
    for (std::uint32_t i = home(word); words_[i] != 0; i = after(i)) {
      if (is_key_of(words_[i], word, node)) return true;
    }
    return false;
  }

  // Room for one more. May throw std::bad_alloc, and has changed nothing then.
  void reserve() {
    if (size_ != 0 && 4 * (size_ + 1) > 3 * slots_) grow();
  }

  // After reserve().
  void add(const Node& node) {
    put(node.word());
    ++size_;
  }

  void remove(const Node& node) {
    erase(node);
    if (--size_ == 0) forget_table();
  }

  // Puts `successor` in the place of `node`.
  void replace(const Node& node, const Node& successor) {
    erase(node);
    put(successor.word());
  }

  template <class Function>
  void for_each_word(Function function) const {
    if (slots_ == 0 && size_ != 0) function(only_);
    for (std::uint32_t i = 0; i < slots_; ++i) {
      if (words_[i] != 0) function(words_[i]);
    }
  }

  std::size_t size() const { return size_; }
  std::size_t table_bytes() const { return slots_ * sizeof(std::uint64_t); }

 private:
  static constexpr int kTagAt = 48;
  static constexpr std::uint32_t kFewest = platform::spins(8) == 1 ? 4 : 8;

  static bool is_key_of(std::uint64_t held, std::uint64_t word, const Node& node) {
    return ((held ^ word) >> kTagAt) == 0 && Node::at(held).same_key(node);
  }

  // Spread over all slots, whatever their number.
  std::uint32_t home(std::uint64_t word) const {
    return static_cast<std::uint32_t>(((word >> kTagAt) * slots_) >> (64 - kTagAt));
  }
  std::uint32_t after(std::uint32_t slot) const { return (slot + 1) & (slots_ - 1); }

  void put(std::uint64_t word) {
    if (slots_ == 0) {
      only_ = word;
      return;
    }
    std::uint32_t i = home(word);
    while (words_[i] != 0) i = after(i);
    words_[i] = word;
  }

  void erase(const Node& node) {
    if (slots_ == 0) return;
    const std::uint64_t word = node.word();
    std::uint32_t gap = home(word);
    while (words_[gap] != word) gap = after(gap);
    // A word that lies behind moves up, unless its home lies behind, too (I1).
    for (std::uint32_t i = after(gap); words_[i] != 0; i = after(i)) {
      if (steps(home(words_[i]), i) < steps(gap, i)) continue;
      words_[gap] = words_[i];
      gap = i;
    }
    words_[gap] = 0;
  }

  std::uint32_t steps(std::uint32_t from, std::uint32_t to) const {
    return (to - from) & (slots_ - 1);
  }

  void grow() {
    const std::uint32_t slots = slots_ == 0 ? kFewest : slots_ * 2;
    HolderTable larger;
    larger.words_ = new std::uint64_t[slots]();
    larger.slots_ = slots;
    for_each_word([&larger](std::uint64_t word) { larger.put(word); });
    std::swap(words_, larger.words_);
    std::swap(slots_, larger.slots_);
  }

  void forget_table() {
    if (slots_ != 0) delete[] words_;
    slots_ = 0;
  }

  union {
    std::uint64_t only_ = 0;  // the word of one node, while there are no slots
    std::uint64_t* words_;
  };
  std::uint32_t slots_ = 0;  // a power of two, or 0
  std::uint32_t size_ = 0;
};

}  // namespace lockbench::internal
