// SPDX-License-Identifier: Apache-2.0

// Search report: the results of search and proof as text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/petri/net/invariants.h"
#include "harness/petri/net/net.h"
#include "harness/petri/net/replay.h"
#include "harness/petri/net/search.h"

namespace lockbench {

enum class SearchVerdict {
  kCorrect,    // every reachable marking was explored, and none has a fault
  kIncorrect,  // a deadlock, a violated property, an unbounded place, or an unreachable final
               // marking
  kUndecided,  // no fault before a limit ended the search
};

SearchVerdict verdict_of(const SearchResult& result);

// `thread 1 acquires a; thread 2 acquires b`: the observable transitions.
std::string trace_text(const Net& net, const std::vector<std::uint32_t>& steps);

// `thread 1 holds a and queues for b; thread 2 is outside`: the marked places of the threads. In a
// net without threads, every marked place.
std::string marking_text(const Net& net, const Marking& marking);

// Says what a replay refused, in which marking, and what was possible there: three lines.
std::vector<std::string> refusal_text(const Net& net, const ReplayResult& replay,
                                      const std::string& event);

// The first few transitions, and how many more there are.
std::string transitions_text(const Net& net, const std::vector<std::uint32_t>& transitions);

Marking marking_after(const Net& net, const std::vector<std::uint32_t>& steps);

// Several lines, the verdict first. Prints at most `most_invariants` invariants, short ones first,
// besides those that prove a property.
std::string search_text(const Net& net, const Invariants& invariants, const SearchResult& result,
                        std::size_t most_invariants = 8);

}  // namespace lockbench
