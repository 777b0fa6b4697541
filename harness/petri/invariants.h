// SPDX-License-Identifier: Apache-2.0

// Invariants: weighted sums of tokens that no transition changes, whatever happens.
//
// They follow from the arcs alone, so they hold for the net however far a search came. Those given
// are the ones of minimal support with positive weights: every other such invariant is a sum of
// multiples of these.
//
// Source  J. Martínez, M. Silva, "A simple and fast algorithm to obtain all invariants of a
//         generalized Petri net", 1982 (Farkas' elimination), with supports kept minimal at each
//         step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/petri/net.h"

namespace lockbench {

struct Invariant {
  std::vector<Arc> places;  // sorted by place; the weights of the sum
  std::uint64_t sum = 0;    // in the initial marking, hence always
};

struct Invariants {
  std::vector<Invariant> found;
  bool all = true;  // false: the limit came first; what was found holds all the same
};

// There can be exponentially many. `most_rows`: how many the elimination carries at once.
Invariants find_invariants(const Net& net, std::size_t most_rows = 5000);

// For each place the most tokens that the invariants allow; nullopt where they say nothing.
std::vector<std::optional<std::uint64_t>> bounds_of(const Net& net, const Invariants& invariants);

// `lock is free + thread 1 holds the lock + thread 2 holds the lock = 1: never two of these at
// once`.
std::string sentence_of(const Net& net, const Invariant& invariant);

}  // namespace lockbench
