// SPDX-License-Identifier: Apache-2.0

// Net: a place/transition net with weighted arcs, and its firing rule.
//
// A transition is enabled when each place of its pre-set holds at least as many tokens as the arc's
// weight. Firing removes these tokens and adds the tokens of the post-set, in one step. Everything
// else in this folder follows from that rule: what can happen (search.h), what cannot
// (invariants.h), whether a trace can happen (replay.h).
//
// Invariants of a net that validate() accepts
//   I1  Names are unique and not empty, among places and transitions together.
//   I2  Arcs name places of the net, each at most once in `pre` and once in `post`. Weights are 1
//       to kMostTokens, tokens 0 to kMostTokens.
//   I3  Exchanging two neighbouring components of a symmetry leaves the net unchanged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "harness/petri/net/net_event.h"

namespace lockbench {

inline constexpr std::uint32_t kMostTokens = 65535;

struct Arc {
  std::uint32_t place = 0;   // index
  std::uint32_t weight = 1;  // tokens moved at once

  bool operator==(const Arc&) const = default;
};

struct NetPlace {
  std::string name;          // `t1_holds_a`
  std::string label;         // `holds a`; empty: the name
  std::string owner;         // `thread 1`; empty: threads share the place
  std::uint32_t tokens = 0;  // in the initial marking
  bool absence = false;      // a token here means that the lock keeps nothing for one of its keys

  bool operator==(const NetPlace&) const = default;
};

struct NetTransition {
  std::string name;               // `t1_takes_a_as_first`
  std::string label;              // `acquires a`; empty: the name
  std::string owner;              // `thread 1`
  std::optional<NetEvent> event;  // none: a silent transition, which no observer sees
  std::vector<Arc> pre;
  std::vector<Arc> post;

  bool operator==(const NetTransition&) const = default;
};

// Threads that run the same program. A component is the list of places of one of these threads, in
// the same order for each. Markings that differ only by an exchange of these threads are
// equivalent.
struct Symmetry {
  std::vector<std::vector<std::uint32_t>> components;

  bool operator==(const Symmetry&) const = default;
};

// A condition that must hold in every marking: these places hold at most `most` tokens together. A
// place that is listed twice counts twice.
struct SafetyProperty {
  std::string text;  // `at most one thread is inside a`
  std::vector<std::uint32_t> places;
  std::uint32_t most = 1;

  bool operator==(const SafetyProperty&) const = default;
};

struct Net {
  std::string name;
  std::vector<NetPlace> places;
  std::vector<NetTransition> transitions;
  // A marking with at least these tokens is final: an intended end. Empty: no marking is final.
  std::vector<Arc> final_tokens;
  std::vector<Symmetry> symmetries;
  std::vector<SafetyProperty> properties;
};

// The weight of the arc to this place; 0: there is none.
std::uint32_t weight_of(const std::vector<Arc>& arcs, std::uint32_t place);

// Tokens of each place.
using Marking = std::vector<std::uint32_t>;

Marking initial_marking(const Net& net);
bool is_enabled(const NetTransition& transition, const Marking& marking);
// Requires is_enabled().
void fire(const NetTransition& transition, Marking& marking);
// `thread 1 holds a`
std::string full_label(const NetPlace& place);
std::string full_label(const NetTransition& transition);

// `thread 1`, of threads numbered from 1.
std::string thread_name(std::uint32_t thread);

// Sets owner and label from a full label. Owners are `thread N` and `process N`.
void set_full_label(const std::string& text, std::string& owner, std::string& label);

// The image of each transition when components `left` and `left + 1` of `symmetry` are exchanged;
// nullopt if that changes the net. O(size of the net · log).
std::optional<std::vector<std::uint32_t>> exchanged(const Net& net, const Symmetry& symmetry,
                                                    std::size_t left);

// OK, or InvalidArgument with the first violation of I1 to I3.
absl::Status validate(const Net& net);

}  // namespace lockbench
