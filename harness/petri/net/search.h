// SPDX-License-Identifier: Apache-2.0

// Search: explores every marking that a net can reach, breadth first.
//
// Because the search is breadth first, the path from the initial marking to any other is a shortest
// firing sequence, and so are the sequences in the result. With symmetry reduction, markings that
// differ only by an exchange of threads with the same program count as one marking. The search
// stores one of them, and the result counts how many it represents.
//
// Memory  per marking 8 bytes for every 64 places (one bit per place if the invariants allow it one
//         token), 4 bytes for the parent and 9 to 14 bytes for the hash table. The search looks up
//         the successors of several markings together, which hides the latency of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "harness/petri/net/invariants.h"
#include "harness/petri/net/net.h"

namespace lockbench {

struct SearchLimits {
  std::uint64_t most_markings = 4'000'000'000;  // below 2^32
  // Memory limit of this process in bytes. `resident` returns what the process already uses; the
  // markings get the rest.
  std::uint64_t memory = ~std::uint64_t{0};
  std::function<std::uint64_t()> resident = [] { return 0; };
  // Called about every 16 markings; true ends the search. Empty: never.
  std::function<bool()> stop;
  bool reduce = true;       // use the symmetries of the net
  bool home_states = true;  // analyse them, too, which costs about as much as the search
};

enum class SearchEnd {
  kComplete,   // every reachable marking was explored
  kTime,       // `stop` returned true
  kMarkings,   // most_markings were reached
  kMemory,     // one more marking would exceed `memory`
  kTokens,     // a place that no invariant bounds got more tokens than its field can count
  kUnbounded,  // a sequence that can be repeated adds tokens each time
  kTooWide,    // a marking would take more than kMostMarkingBytes
};

inline constexpr std::size_t kMostMarkingBytes = 512;

// A firing sequence from the initial marking: transitions by index.
using Sequence = std::vector<std::uint32_t>;

// Which markings are reachable from all others.
struct HomeStates {
  bool known = false;          // false: not requested, or a limit was reached
  std::uint64_t no_final = 0;  // markings from which no final marking is reachable
  std::uint64_t states = 0;    // of a net without final markings: those reachable from all others
};

struct SearchResult {
  SearchEnd end = SearchEnd::kComplete;
  bool reduced = false;                    // symmetry reduction was used
  std::uint64_t markings = 0;              // explored
  std::uint64_t unreduced = 0;             // the markings that these represent; saturates
  std::uint64_t dead = 0;                  // explored markings that are dead and not final
  std::uint64_t final_markings = 0;        // explored markings that are final
  std::optional<Sequence> to_dead;         // shortest
  std::optional<std::uint32_t> violated;   // the first property that was violated
  Sequence to_violation;                   // shortest
  std::vector<std::uint32_t> never_fires;  // transitions; meaningful if the search is complete
  std::vector<std::uint32_t> most_tokens;  // per place
  Sequence to_unbounded;                   // ends in a marking that covers an earlier one
  std::vector<std::uint32_t> growing;      // places that grow each time, or that overflowed
  HomeStates home;
  std::size_t marking_bytes = 0;  // of one marking
  std::uint64_t bytes = 0;        // of all markings, with parents and hash table
  double cpu_s = 0;               // processor time of the exploration
};

// Requires validate(net). `invariants` of the net; they determine how narrow fields are.
SearchResult search(const Net& net, const Invariants& invariants, const SearchLimits& limits);

}  // namespace lockbench
