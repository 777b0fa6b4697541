// SPDX-License-Identifier: Apache-2.0

// ScOrder: what an execution so far says of the total order S of its sequentially consistent
// operations and fences, as a graph: an edge for each pair that S must have in that order.
//
// Guarantees   S exists as long as the graph has no cycle. reaches() tells, before an event
// happens,
//              whether the edges that it would add close one.
// Not offered  more than ScSet::kMost events at once. Whoever comes near that number clears the
//              graph, and sees to it that those events come before all later ones. That leaves out
//              orders and adds none.
//
// Source  ISO C++20, [atomics.order]; O. Lahav et al., "Repairing Sequential Consistency in
// C/C++11",
//         2017.
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

  // Calls visit(event) for each.
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

  // A new event, which comes after those in `before`. Requires has_room(1).
  std::uint32_t add(const ScSet& before);

  // Each of `before` comes before each of `after`.
  void order(const ScSet& before, const ScSet& after);

  // Whether one of `to` comes after, or is, one of `from`.
  bool reaches(const ScSet& from, const ScSet& to) const;

 private:
  std::uint32_t count_ = 0;
  std::array<ScSet, ScSet::kMost> after_;  // edges
};

}  // namespace lockbench::stress::explore
