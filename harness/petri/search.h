// SPDX-License-Identifier: Apache-2.0

// Search: every marking that a net can reach, breadth first.
//
// Breadth first, the way back from a marking to the start is a shortest firing sequence to it, so
// the sequences told here are shortest ones. Threads that run one program are folded together:
// of the markings that differ in who of them is where, one is kept, and how many it stands for is
// counted.
//
// Cost  8 bytes for every 64 places (one bit each where the invariants allow one token), 4 for the
//       way back and 9 to 14 for the table of markings known; the successors of several markings
//       are looked up together, so that the memory's latency is paid once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "harness/petri/invariants.h"
#include "harness/petri/net.h"

namespace lockbench {

struct SearchLimits {
  std::uint64_t most_markings = 100'000'000;  // below 2^32
  // Asked now and then; true ends the search. Empty: never.
  std::function<bool()> enough;
  bool fold = true;
  bool homecoming = true;  // costs about as much again as the search itself
  // Told once, between the search and the homecoming. Empty: nobody.
  std::function<void()> searched = {};
};

enum class SearchEnd {
  kComplete,   // every reachable marking was seen
  kTime,       // `enough` said so
  kMarkings,   // most_markings were kept
  kTokens,     // a place that no invariant bounds came to more tokens than are counted
  kUnbounded,  // a sequence that can be repeated adds tokens each time
  kTooWide,    // a marking would take more than kWidestWords words
};

inline constexpr std::size_t kWidestWords = 64;

// A firing sequence from the initial marking: transitions by index.
using Sequence = std::vector<std::uint32_t>;

// From which markings something can still be reached.
struct Homecoming {
  bool known = false;        // false: not asked for, or the budget came first
  std::uint64_t astray = 0;  // of a net with an end: markings from which no end can be reached
  std::uint64_t home = 0;    // of a net without: markings that can be reached from everywhere
};

struct SearchResult {
  SearchEnd end = SearchEnd::kComplete;
  bool folded = false;
  std::uint64_t markings = 0;    // kept
  std::uint64_t stands_for = 0;  // without folding; the largest number when more than that
  std::uint64_t dead = 0;        // kept markings in which nothing can happen and no end is reached
  std::uint64_t ends = 0;        // kept markings that are an end
  std::optional<Sequence> to_dead;         // shortest
  std::optional<std::uint32_t> broken;     // the claim that was broken first
  Sequence to_broken;                      // shortest
  std::vector<std::uint32_t> never_fires;  // transitions; final only when the search is complete
  std::vector<std::uint32_t> most_tokens;  // per place, of the markings seen
  Sequence to_unbounded;                   // ends in a marking that covers an earlier one
  std::vector<std::uint32_t> growing;      // places that grow each time, or that overflowed
  Homecoming homecoming;
  std::size_t marking_bytes = 0;  // of one marking
  std::uint64_t bytes = 0;        // of all that was kept
};

// Requires validate(net). `invariants` are those of the net: they make fields small.
SearchResult search(const Net& net, const Invariants& invariants, const SearchLimits& limits);

}  // namespace lockbench
