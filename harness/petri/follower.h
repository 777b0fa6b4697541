// SPDX-License-Identifier: Apache-2.0

// Follower: the ways in which a net may have done what was seen of it so far.
//
// Steps that nobody saw are put in when what follows needs them, which loses nothing for most: what
// a step does not need until then, it can leave where it is. A step that looks (gives back some of
// what it takes) is another matter, since what it saw may be gone by then:
//   - a glance (it moves one token, which no other look could have had, and gives back all else) is
//     put in afterwards, where it was possible first. So each way remembers since when each glance
//     has been possible;
//   - of others that look, all that there can be is tried before each event, if the breadth says
//   so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/petri/net.h"

namespace lockbench::internal {

// How widely a trace is followed.
struct Breadth {
  std::size_t ways = 1;   // kept open, those with the fewest unseen steps first
  bool foresees = false;  // steps that look are taken when they can be, not when they are needed
};

class Follower {
 public:
  Follower(const Net& net, Breadth breadth);

  bool knows(const std::string& event) const { return by_event_.contains(event); }

  // False when no way can go on with it; then nothing changes.
  bool follow(const std::string& event);

  // Whether all ways were followed: none was given up, or missed since it looked too late.
  bool certain() const { return certain_; }

  // Of the way with the fewest unseen steps:
  const Marking& marking() const { return ways_[0].marking; }
  std::vector<std::uint32_t> steps() const;  // a firing sequence

  std::vector<std::string> possible();

 private:
  static constexpr std::size_t kNever = static_cast<std::size_t>(-1);

  // One way the net may have gone: where it is, and how it came there.
  struct Way {
    Marking marking;
    std::size_t last = 0;            // its last step in the log; 0: none
    std::size_t unseen = 0;          // steps so far that nobody saw
    std::vector<std::size_t> since;  // per glance: the step in the log after which it was possible
  };

  struct LoggedStep {
    std::size_t before = 0;
    std::uint32_t transition = 0;
    std::size_t after = kNever;  // put in afterwards: the step in the log after which it happened
  };

  struct Glance {
    std::uint32_t transition = 0;
    // Where the token is that it moves, and from where one unseen step brings it there.
    std::vector<std::uint32_t> at;
  };

  void sort_unseen(std::uint32_t t);
  std::optional<Glance> glance_from(std::uint32_t t) const;
  Way taken(Way way, std::uint32_t t, bool unseen);
  void look_around(Way& way) const;
  void withdraw(Way& way, std::uint32_t t);
  std::vector<Way> made_ready(const Way& way, std::uint32_t t, std::size_t most);
  void add_unseen_ways();
  void keep_best(std::vector<Way> next);

  using Outlook = std::pair<Marking, std::vector<bool>>;
  static Outlook outlook(const Way& way);

  const Net& net_;
  const Breadth breadth_;
  std::unordered_map<std::string, std::vector<std::uint32_t>> by_event_;
  // Unseen transitions: per place those that are taken when a token is missing there, and those
  // that are taken ahead.
  std::vector<std::vector<std::uint32_t>> givers_;
  std::vector<std::uint32_t> looking_;
  std::vector<Glance> glances_;
  std::vector<std::size_t> glance_of_;  // by transition that is one; kNever: none
  std::vector<std::size_t> led_to_;     // by transition that brings the token for one; kNever: none
  std::vector<Way> ways_;
  std::vector<LoggedStep> log_{{}};  // the first stands for "no step"
  bool certain_ = true;
};

}  // namespace lockbench::internal
