// SPDX-License-Identifier: Apache-2.0

// HomeStateSearch: backward reachability over the markings that a search has explored: from which
// of them a final marking, or every other marking, is reachable.
//
// Expansion: the successors of several markings at once. A memory access takes much longer than the
// computation of a successor, so the look-ups of many successors are prefetched together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "harness/petri/net/marking_set.h"
#include "harness/petri/net/packed_net.h"
#include "harness/petri/net/search.h"
#include "harness/petri/net/successors.h"

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

template <std::size_t W>
class HomeStateSearch {
 public:
  // `backward` is the net with reversed transitions; `stop` as in SearchLimits.
  HomeStateSearch(const MarkingSet<W>& seen, const Successors<W>& forward,
                  const Successors<W>& backward, const std::function<bool()>& stop)
      : seen_(seen), forward_(forward), backward_(backward), stop_(stop) {}

  // Counts the markings from which no final marking is reachable.
  HomeStates to_final(std::vector<std::uint32_t> final_markings) const {
    Marks can_reach(seen_.size());
    if (!close(backward_, std::move(final_markings), can_reach)) return {};
    return {.known = true, .no_final = counted(can_reach, false)};
  }

  // Home states are the only terminal strongly connected component, if there is exactly one.
  HomeStates from_everywhere() const {
    for (std::uint32_t candidate = seen_.size() - 1;;) {
      Marks after(seen_.size());
      Marks before(seen_.size());
      if (!close(forward_, {candidate}, after) || !close(backward_, {candidate}, before)) return {};
      std::uint32_t i = 0;
      while (i < seen_.size() && !(after[i] && !before[i])) ++i;
      if (i == seen_.size()) {
        const bool from_all = counted(before, false) == 0;
        return {.known = true, .states = from_all ? counted(after, true) : 0};
      }
      candidate = i;  // the old candidate is not reachable from it
    }
  }

 private:
  using Marks = std::vector<bool>;  // per marking

  static std::uint64_t counted(const Marks& marks, bool value) {
    return static_cast<std::uint64_t>(std::count(marks.begin(), marks.end(), value));
  }

  // Marks every explored marking that `successors` reach from those in `todo`. False if `stop`
  // returned true.
  bool close(const Successors<W>& successors, std::vector<std::uint32_t> todo, Marks& marks) const {
    for (const std::uint32_t i : todo) marks[i] = true;
    Expansion<W> expansion(successors, seen_);
    while (!todo.empty()) {
      if (stop_ && stop_()) return false;
      expansion.clear();
      while (!expansion.full() && !todo.empty()) {
        expansion.add(todo.back());
        todo.pop_back();
      }
      expansion.prefetch();
      for (const auto& group : expansion.groups()) {
        for (const auto& next : expansion.nexts(group)) {
          const std::uint32_t found = seen_.find(next.words, next.hash);
          if (found == seen_.kNone || marks[found]) continue;
          marks[found] = true;
          todo.push_back(found);
        }
      }
    }
    return true;
  }

  const MarkingSet<W>& seen_;
  const Successors<W>& forward_;
  const Successors<W>& backward_;
  const std::function<bool()>& stop_;
};

}  // namespace lockbench::internal
