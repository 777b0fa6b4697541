// SPDX-License-Identifier: Apache-2.0

// ScOrder: the constraints that an execution so far imposes on the total order S of its
// sequentially consistent operations and fences, as a graph. There is an edge for each pair whose
// order in S is fixed.
//
// Guarantees   S exists as long as the graph has no cycle. Before an event happens, reaches() says
//              whether the edges of this event would close a cycle.
// Not offered  More than ScSet::kMost events at once. Before this limit is reached, the caller
//              clears the graph and makes sure that the cleared events come before all later ones.
//              This omits some orders of events that C++ allows, and adds none.
// Source       ISO C++20, [atomics.order]; O. Lahav et al., "Repairing Sequential Consistency in
//              C/C++11", 2017.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace lockbench::stress::explore {

class ScSet {
 public:
  static constexpr std::uint32_t kMost = 128;

  bool empty() const { return (bits_[0] | bits_[1]) == 0; }
  void add(std::uint32_t event) { bits_[event / 64] |= std::uint64_t{1} << event % 64; }
  bool meets(const ScSet& other) const {
    return ((bits_[0] & other.bits_[0]) | (bits_[1] & other.bits_[1])) != 0;
  }
  ScSet& operator|=(const ScSet& other) {
    bits_[0] |= other.bits_[0];
    bits_[1] |= other.bits_[1];
    return *this;
  }
  friend ScSet operator|(ScSet one, const ScSet& other) { return one |= other; }

  // Calls visit(event) for each event in the set.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::uint32_t half = 0; half < 2; ++half) {
      for (std::uint64_t left = bits_[half]; left != 0; left &= left - 1) {
        visit(half * 64 + static_cast<std::uint32_t>(__builtin_ctzll(left)));
      }
    }
  }

  // The events that are in this set and not in `other`.
  ScSet without(const ScSet& other) const {
    ScSet left;
    left.bits_ = {bits_[0] & ~other.bits_[0], bits_[1] & ~other.bits_[1]};
    return left;
  }

 private:
  std::array<std::uint64_t, 2> bits_{};
};

class ScOrder {
 public:
  void clear() { count_ = 0; }
  bool empty() const { return count_ == 0; }
  bool has_room(std::uint32_t events) const { return count_ + events <= ScSet::kMost; }

  // Adds an event that comes after those in `before`. Requires has_room(1).
  std::uint32_t add(const ScSet& before);

  // Each event of `before` comes before each event of `after`.
  void order(const ScSet& before, const ScSet& after);

  // True if an event of `to` is one of `from` or comes after one of `from`.
  bool reaches(const ScSet& from, const ScSet& to) const;

 private:
  std::uint32_t count_ = 0;
  std::array<ScSet, ScSet::kMost> after_;  // edges
};

}  // namespace lockbench::stress::explore
