// SPDX-License-Identifier: Apache-2.0

// Story: what search and proof found, in words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/petri/invariants.h"
#include "harness/petri/net.h"
#include "harness/petri/replay.h"
#include "harness/petri/search.h"

namespace lockbench {

enum class Verdict {
  kSound,       // every reachable marking was seen, and nothing was wrong with any
  kFaulty,      // a dead marking, a broken claim, a way from which no end is reached
  kUnfinished,  // nothing wrong was seen before the search had to end
};

Verdict verdict_of(const SearchResult& result);

// `thread 1 takes a; thread 2 takes b`: the steps that can be seen.
std::string told(const Net& net, const std::vector<std::uint32_t>& steps);

// `thread 1 holds a and queues for b; thread 2 is outside`: where the threads are, or, in a net
// without threads, every marked place.
std::string whereabouts(const Net& net, const Marking& marking);

// Of a replay that does not conform: what was refused, then where the net was, and what it could
// do.
std::vector<std::string> refusal_of(const Net& net, const Replay& replay, const std::string& event);

// The names of the first few transitions, and how many there are besides.
std::string some_of(const Net& net, const std::vector<std::uint32_t>& transitions);

Marking after(const Net& net, const std::vector<std::uint32_t>& steps);

// Several lines. `most_sentences` of the invariants are printed, those of few places first.
std::string summary_of(const Net& net, const Invariants& invariants, const SearchResult& result,
                       std::size_t most_sentences = 8);

}  // namespace lockbench
