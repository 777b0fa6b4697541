// SPDX-License-Identifier: Apache-2.0

// Place invariants: weighted sums of tokens that no transition changes.
//
// They follow from the arcs alone, so they hold in every reachable marking even if a search was
// incomplete. The result has minimal support and positive weights: every other invariant
// with positive weights is a sum of multiples of these.
//
// Source  J. Martínez, M. Silva, "A simple and fast algorithm to obtain all invariants of a
//         generalized Petri net", 1982 (Farkas' elimination), with supports kept minimal at each
//         step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/petri/net/net.h"

namespace lockbench {

struct Invariant {
  std::vector<Arc> places;  // sorted by place; the weights of the sum
  std::uint64_t sum = 0;    // in every reachable marking
};

struct Invariants {
  std::vector<Invariant> found;
  bool all = true;  // false: more may exist; a limit ended the search for them
};

// There can be exponentially many. `most_rows` limits how many rows the elimination keeps at once.
// `stop` is called often; true ends the search for more invariants. Empty: never.
Invariants find_invariants(const Net& net, std::size_t most_rows = 5000,
                           const std::function<bool()>& stop = {});

// The most tokens that the invariants allow each place; nullopt if they do not bound it.
std::vector<std::optional<std::uint64_t>> bounds_of(const Net& net, const Invariants& invariants);

// `lock is free + thread 1 holds the lock + thread 2 holds the lock = 1: never two of these at
// once`.
std::string text_of(const Net& net, const Invariant& invariant);

}  // namespace lockbench
