// SPDX-License-Identifier: Apache-2.0

// HomecomingSearch: from which of the markings that a search has seen something can still be
// reached, looked into backwards.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "harness/petri/expansion.h"
#include "harness/petri/marking_set.h"
#include "harness/petri/packed_net.h"
#include "harness/petri/search.h"
#include "harness/petri/successors.h"

namespace lockbench::internal {

template <std::size_t W>
class HomecomingSearch {
 public:
  // `back` is the net with its transitions turned round; `enough` as in SearchLimits.
  HomecomingSearch(const MarkingSet<W>& seen, const Successors<W>& forth, const Successors<W>& back,
                   const std::function<bool()>& enough)
      : seen_(seen), forth_(forth), back_(back), enough_(enough) {}

  // Of a net with an end.
  Homecoming to_ends(std::vector<std::uint32_t> ends) const {
    Marks safe(seen_.size());
    if (!close(back_, std::move(ends), safe)) return {};
    return {.known = true, .astray = counted(safe, false)};
  }

  // Home markings are the one strongly connected part that is never left, if there is but one.
  Homecoming to_home() const {
    for (std::uint32_t candidate = seen_.size() - 1;;) {
      Marks ahead(seen_.size());
      Marks behind(seen_.size());
      if (!close(forth_, {candidate}, ahead) || !close(back_, {candidate}, behind)) return {};
      std::uint32_t i = 0;
      while (i < seen_.size() && !(ahead[i] && !behind[i])) ++i;
      if (i == seen_.size()) {
        const bool from_all = counted(behind, false) == 0;
        return {.known = true, .home = from_all ? counted(ahead, true) : 0};
      }
      candidate = i;  // there is no way back from it
    }
  }

 private:
  using Marks = std::vector<bool>;  // per marking

  static constexpr std::uint32_t kAskEvery = 256;  // expansions between two questions

  static std::uint64_t counted(const Marks& marks, bool value) {
    return static_cast<std::uint64_t>(std::count(marks.begin(), marks.end(), value));
  }

  // Every marking reached from those in `todo`, by `successors`, within what was seen; false when
  // time was up.
  bool close(const Successors<W>& successors, std::vector<std::uint32_t> todo, Marks& marks) const {
    for (const std::uint32_t i : todo) marks[i] = true;
    Expansion<W> expansion(successors, seen_);
    for (std::uint32_t steps = 1; !todo.empty(); ++steps) {
      if (steps % kAskEvery == 0 && enough_ && enough_()) return false;
      expansion.clear();
      for (std::uint32_t n = 0; n < Expansion<W>::kTogether && !todo.empty(); ++n) {
        expansion.add(todo.back());
        todo.pop_back();
      }
      expansion.announce();
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
  const Successors<W>& forth_;
  const Successors<W>& back_;
  const std::function<bool()>& enough_;
};

}  // namespace lockbench::internal
