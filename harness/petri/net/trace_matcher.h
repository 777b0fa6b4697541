// SPDX-License-Identifier: Apache-2.0

// TraceMatcher: the firing sequences of a net that explain the events of a trace so far.
//
// Silent transitions are inserted when a later event needs them. For most of them this finds every
// explanation, because nothing else needs the tokens that they move before. A transition with a
// read arc (it returns some of the tokens that it consumes) is different, because what it read may
// have changed by then:
//   - A *deferrable read* moves one token that no other read can consume, and returns all others.
//     It is inserted afterwards, at the point where it was first enabled. Each candidate therefore
//     stores since when each deferrable read has been enabled.
//   - Other silent transitions with read arcs are tried in every way before each event, if the
//     search breadth includes this lookahead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "harness/petri/net/net.h"

namespace lockbench::internal {

struct MatchBreadth {
  std::size_t candidates = 1;  // kept, those with the fewest silent transitions first
  bool lookahead = false;      // fire silent reads as soon as they are enabled, not when needed
};

class TraceMatcher {
 public:
  TraceMatcher(const Net& net, MatchBreadth breadth);

  bool knows(const NetEvent& event) const { return by_event_.contains(event); }

  // False if no candidate can continue with the event; then nothing changes.
  bool follow(const NetEvent& event);

  // True if every explanation was followed: no candidate was dropped, and no read was missed.
  bool certain() const { return certain_; }

  // These describe the candidate with the fewest silent transitions:
  const Marking& marking() const { return candidates_[0].marking; }
  std::vector<std::uint32_t> steps() const;  // a firing sequence

  // The events that some candidate can continue with.
  std::vector<NetEvent> possible();

 private:
  static constexpr std::size_t kNever = static_cast<std::size_t>(-1);

  // One explanation of the trace so far.
  struct Candidate {
    Marking marking;
    std::size_t last = 0;            // its last step in log_; 0: none
    std::size_t silent = 0;          // silent transitions so far
    std::vector<std::size_t> since;  // per deferrable read: the step after which it was enabled
  };

  struct LoggedStep {
    std::size_t before = 0;
    std::uint32_t transition = 0;
    std::size_t after = kNever;  // of a deferred step: the step of log_ after which it happened
  };

  struct DeferrableRead {
    std::uint32_t transition = 0;
    // The place of the token that it moves, and those from which one silent step brings it there.
    std::vector<std::uint32_t> sources;
  };

  void classify_silent(std::uint32_t t);
  std::optional<DeferrableRead> deferrable_read(std::uint32_t t) const;
  Candidate fired(Candidate candidate, std::uint32_t t, bool silent);
  void note_enabled_reads(Candidate& candidate) const;
  void withdraw_reads(Candidate& candidate, std::uint32_t t);
  std::vector<Candidate> made_ready(const Candidate& candidate, std::uint32_t t, std::size_t most);
  void look_ahead();
  void keep_best(std::vector<Candidate> next);

  // The part of a candidate that determines its future.
  using State = std::pair<Marking, std::vector<bool>>;
  static State state_of(const Candidate& candidate);

  const Net& net_;
  const MatchBreadth breadth_;
  std::map<NetEvent, std::vector<std::uint32_t>> by_event_;
  std::vector<std::vector<std::uint32_t>>
      producers_;                     // per place: silent transitions, fired on need
  std::vector<std::uint32_t> ahead_;  // silent transitions, fired by lookahead
  std::vector<DeferrableRead> reads_;
  std::vector<std::size_t> read_of_;    // per transition: its index in reads_, or kNever
  std::vector<std::size_t> brings_to_;  // per transition: the read that it brings a token to
  std::vector<Candidate> candidates_;
  std::vector<LoggedStep> log_{{}};  // the first entry means "no step"
  bool certain_ = true;
};

}  // namespace lockbench::internal
