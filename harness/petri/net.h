// SPDX-License-Identifier: Apache-2.0

// Net: a place/transition net with weighted arcs, and the one rule by which it moves.
//
// A transition may fire when each place that it takes from holds at least as many tokens as it
// takes; firing takes them and gives what it gives, in one step. Everything else in this folder is
// drawn from that rule: what can happen (search.h), what cannot (invariants.h), whether something
// did (replay.h).
//
// Invariants of a net that validate() passes
//   I1  names are unique and not empty, among places and transitions together.
//   I2  arcs name places of the net, each at most once in `takes` and once in `gives`; weights and
//       tokens are 1 to kMostTokens, or 0 tokens.
//   I3  exchanging two neighbouring columns of a symmetry leaves the net as it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <absl/status/status.h>

namespace lockbench {

inline constexpr std::uint32_t kMostTokens = 65535;

struct Arc {
  std::uint32_t place = 0;   // index
  std::uint32_t weight = 1;  // tokens moved at once

  bool operator==(const Arc&) const = default;
};

struct NetPlace {
  std::string name;          // `t1_holds_a`
  std::string says;          // `thread 1 holds a`; empty: the name
  std::uint32_t tokens = 0;  // at the start

  bool operator==(const NetPlace&) const = default;
};

struct NetTransition {
  std::string name;   // `t1_takes_a_as_first`
  std::string says;   // `thread 1 takes a`; empty: the name
  std::string event;  // what somebody who watches the code sees, see replay.h; empty: nothing
  std::vector<Arc> takes;
  std::vector<Arc> gives;

  bool operator==(const NetTransition&) const = default;
};

// Threads that run one program. A column is what belongs to one of them: places, in the same order
// in each. Markings that differ in who of them is where are one case.
struct Symmetry {
  std::vector<std::vector<std::uint32_t>> columns;

  bool operator==(const Symmetry&) const = default;
};

// What must hold in every marking: at most so many tokens in these places together.
struct Claim {
  std::string says;  // `at most one thread is inside a`
  std::vector<std::uint32_t> places;
  std::uint32_t most = 1;

  bool operator==(const Claim&) const = default;
};

struct Net {
  std::string name;
  std::vector<NetPlace> places;
  std::vector<NetTransition> transitions;
  // A marking with at least these tokens is an end that is wanted. Empty: no end is.
  std::vector<Arc> final_tokens;
  std::vector<Symmetry> symmetries;
  std::vector<Claim> claims;
};

// Tokens that these arcs move from or to the place; 0: none.
std::uint32_t weight_of(const std::vector<Arc>& arcs, std::uint32_t place);

// Tokens of each place.
using Marking = std::vector<std::uint32_t>;

Marking initial_marking(const Net& net);
bool is_enabled(const NetTransition& transition, const Marking& marking);
// Requires is_enabled().
void fire(const NetTransition& transition, Marking& marking);
bool is_final(const Net& net, const Marking& marking);

// The claim that this marking breaks, or null.
const Claim* broken_claim(const Net& net, const Marking& marking);

const std::string& words_of(const NetPlace& place);
const std::string& words_of(const NetTransition& transition);

// The index of the transition of this name.
std::optional<std::uint32_t> find_transition(const Net& net, const std::string& name);

// For each transition its image when columns `left` and `left + 1` of `symmetry` change places;
// nullopt when that is no symmetry of the net. O(size of the net · log).
std::optional<std::vector<std::uint32_t>> exchanged(const Net& net, const Symmetry& symmetry,
                                                    std::size_t left);

// OK, or InvalidArgument that names the first thing wrong.
absl::Status validate(const Net& net);

}  // namespace lockbench
