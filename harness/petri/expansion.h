// SPDX-License-Identifier: Apache-2.0

// Expansion: the successors of several markings at once. A memory access takes much longer than the
// computation of a successor, so the look-ups of many successors are prefetched together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/petri/marking_set.h"
#include "harness/petri/packed_net.h"
#include "harness/petri/successors.h"

namespace lockbench::internal {

template <std::size_t W>
class Expansion {
 public:
  using Next = typename Successors<W>::Next;

  // More markings or successors at once gain nothing, and successors take memory.
  static constexpr std::size_t kMostMarkings = 16;
  static constexpr std::size_t kMostSuccessors = 4096;

  struct Group {
    std::uint32_t from = 0;  // number of the marking
    std::size_t begin = 0;
    std::size_t end = 0;
    std::uint32_t overflow = 0;  // the result of Successors::add_to()
  };

  Expansion(const Successors<W>& successors, const MarkingSet<W>& seen)
      : successors_(successors), seen_(seen) {}

  void clear() {
    groups_.clear();
    nexts_.clear();
  }

  bool full() const { return groups_.size() >= kMostMarkings || nexts_.size() >= kMostSuccessors; }

  void add(std::uint32_t from) {
    const std::size_t begin = nexts_.size();
    const std::uint32_t overflow = successors_.add_to(nexts_, seen_[from]);
    for (std::size_t i = begin; i < nexts_.size(); ++i) seen_.prefetch_slot(nexts_[i].hash);
    groups_.push_back({.from = from, .begin = begin, .end = nexts_.size(), .overflow = overflow});
  }

  // Call this after the last add() and before the first look-up.
  void prefetch() const {
    for (const Next& next : nexts_) seen_.prefetch_marking(next.hash);
  }

  const std::vector<Group>& groups() const { return groups_; }
  std::span<const Next> nexts(const Group& group) const {
    return {nexts_.data() + group.begin, group.end - group.begin};
  }

 private:
  const Successors<W>& successors_;
  const MarkingSet<W>& seen_;
  std::vector<Group> groups_;
  std::vector<Next> nexts_;
};

}  // namespace lockbench::internal
