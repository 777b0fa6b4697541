// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/replay.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

namespace lockbench {
namespace {

// No model of ours needs more unseen steps before one that is seen.
constexpr std::size_t kMostUnseen = 6;

// One way the net may have gone: where it is, and how it came there.
struct Way {
  Marking marking;
  std::size_t last = 0;    // its last step in the log; 0: none
  std::size_t unseen = 0;  // steps so far that nobody saw
};

struct LoggedStep {
  std::size_t before = 0;
  std::uint32_t transition = 0;
};

// How widely a trace is followed.
struct Breadth {
  std::size_t ways = 1;   // kept open, those with the fewest unseen steps first
  bool foresees = false;  // steps that look are taken when they can be, not when they are needed
};

class Follower {
 public:
  Follower(const Net& net, Breadth breadth)
      : net_(net), breadth_(breadth), givers_(net.places.size()) {
    for (std::uint32_t t = 0; t < net.transitions.size(); ++t) {
      const NetTransition& transition = net.transitions[t];
      by_event_[transition.name].push_back(t);
      if (!transition.event.empty() && transition.event != transition.name) {
        by_event_[transition.event].push_back(t);
      }
      if (!transition.event.empty()) continue;
      if (breadth.foresees && looks(transition)) {
        looking_.push_back(t);
        continue;
      }
      for (const Arc& arc : transition.gives) givers_[arc.place].push_back(t);
    }
    ways_.push_back({.marking = initial_marking(net)});
  }

  bool knows(const std::string& event) const { return by_event_.contains(event); }

  // False when no way can go on with it; then nothing changes.
  bool follow(const std::string& event) {
    if (breadth_.foresees) add_unseen_ways();
    std::vector<Way> next;
    for (const Way& way : ways_) {
      for (const std::uint32_t t : by_event_.at(event)) {
        for (Way& ready : made_ready(way, t, kMostUnseen)) next.push_back(taken(ready, t, false));
      }
    }
    if (next.empty()) return false;
    keep_best(std::move(next));
    return true;
  }

  bool certain() const { return certain_; }
  const Marking& marking() const { return ways_[0].marking; }

  std::vector<std::uint32_t> steps() const {
    std::vector<std::uint32_t> steps;
    for (std::size_t i = ways_[0].last; i != 0; i = log_[i].before) {
      steps.push_back(log_[i].transition);
    }
    std::reverse(steps.begin(), steps.end());
    return steps;
  }

  std::vector<std::string> possible() {
    std::set<std::string> events;
    for (const Way& way : ways_) {
      for (std::uint32_t t = 0; t < net_.transitions.size(); ++t) {
        const std::string& event = net_.transitions[t].event;
        if (event.empty() || events.contains(event)) continue;
        if (!made_ready(way, t, kMostUnseen).empty()) events.insert(event);
      }
    }
    return {events.begin(), events.end()};
  }

 private:
  Way taken(Way way, std::uint32_t t, bool unseen) {
    fire(net_.transitions[t], way.marking);
    log_.push_back({.before = way.last, .transition = t});
    way.last = log_.size() - 1;
    way.unseen += unseen ? 1 : 0;
    return way;
  }

  // The ways on from here, by unseen steps alone, to where `t` may fire. Only steps that bring a
  // token which is missing are tried.
  std::vector<Way> made_ready(const Way& way, std::uint32_t t, std::size_t most) {
    const std::vector<Arc>& takes = net_.transitions[t].takes;
    const auto lacks = [&way](const Arc& arc) { return way.marking[arc.place] < arc.weight; };
    const auto missing = std::find_if(takes.begin(), takes.end(), lacks);
    if (missing == takes.end()) return {way};
    std::vector<Way> ready;
    const bool never = std::any_of(missing, takes.end(), [&](const Arc& arc) {
      return lacks(arc) && givers_[arc.place].empty();
    });
    if (most == 0 || never) return ready;
    for (const std::uint32_t giver : givers_[missing->place]) {
      for (const Way& before : made_ready(way, giver, most - 1)) {
        const Way after = taken(before, giver, true);
        const std::size_t used = after.unseen - way.unseen;
        if (used > most) continue;
        for (Way& found : made_ready(after, t, most - used)) ready.push_back(std::move(found));
      }
    }
    return ready;
  }

  // Whether it gives back some of what it takes. What does not can always wait until its tokens are
  // needed: until then the marking has all that it would have, but for those, and what it takes. A
  // step that looks cannot: what it saw may be gone by then.
  static bool looks(const NetTransition& transition) {
    return std::any_of(transition.takes.begin(), transition.takes.end(),
                       [&](const Arc& arc) { return weight_of(transition.gives, arc.place) != 0; });
  }

  // All that unseen steps which look lead to from here.
  void add_unseen_ways() {
    std::set<Marking> seen;
    for (const Way& way : ways_) seen.insert(way.marking);
    for (std::size_t i = 0; i < ways_.size(); ++i) {
      for (const std::uint32_t t : looking_) {
        for (Way& ready : made_ready(ways_[i], t, kMostUnseen)) {
          Way after = taken(std::move(ready), t, true);
          if (!seen.insert(after.marking).second) continue;
          if (ways_.size() == breadth_.ways) {
            certain_ = false;
            return;
          }
          ways_.push_back(std::move(after));
        }
      }
    }
  }

  void keep_best(std::vector<Way> next) {
    std::stable_sort(next.begin(), next.end(),
                     [](const Way& a, const Way& b) { return a.unseen < b.unseen; });
    std::set<Marking> seen;
    ways_.clear();
    for (Way& way : next) {
      if (!seen.insert(way.marking).second) continue;
      if (ways_.size() == breadth_.ways) {
        certain_ = false;
        break;
      }
      ways_.push_back(std::move(way));
    }
  }

  const Net& net_;
  const Breadth breadth_;
  std::unordered_map<std::string, std::vector<std::uint32_t>> by_event_;
  // Unseen transitions: per place those that are taken when a token is missing there, and those
  // that are taken ahead.
  std::vector<std::vector<std::uint32_t>> givers_;
  std::vector<std::uint32_t> looking_;
  std::vector<Way> ways_;
  std::vector<LoggedStep> log_{{}};  // the first stands for "no step"
  bool certain_ = true;
};

bool leads_to_end(const Net& net, const NetTransition& transition) {
  return std::any_of(transition.gives.begin(), transition.gives.end(), [&net](const Arc& arc) {
    return std::any_of(net.final_tokens.begin(), net.final_tokens.end(),
                       [&arc](const Arc& end) { return end.place == arc.place; });
  });
}

Replay follow_all(const Net& net, std::span<const std::string> events, Breadth breadth) {
  Replay result;
  Follower follower(net, breadth);
  for (std::size_t i = 0; i < events.size() && result.conforms; ++i) {
    result.unknown = !follower.knows(events[i]);
    if (!result.unknown && follower.follow(events[i])) continue;
    result.conforms = false;
    result.refused = i;
    result.possible = follower.possible();
  }
  result.certain = result.conforms || follower.certain();
  result.before = follower.marking();
  result.steps = follower.steps();
  const std::set<std::uint32_t> taken(result.steps.begin(), result.steps.end());
  for (std::uint32_t t = 0; t < net.transitions.size(); ++t) {
    if (!net.transitions[t].event.empty() && !taken.contains(t)) result.untaken.push_back(t);
  }
  return result;
}

}  // namespace

Replay replay(const Net& net, std::span<const std::string> events) {
  // The way with the fewest unseen steps explains most of what is seen, and costs least.
  Replay straight = follow_all(net, events, {.ways = 1});
  if (straight.conforms || straight.unknown) return straight;
  Replay result = follow_all(net, events, {.ways = kWaysKept});
  if (result.conforms || result.unknown) return result;
  // An unseen step may have been possible for a while only, before it was needed.
  Replay foreseen = follow_all(net, events, {.ways = kWaysForeseen, .foresees = true});
  if (foreseen.conforms || foreseen.refused > result.refused) return foreseen;
  result.certain = foreseen.certain;
  return result;
}

std::vector<std::uint32_t> tour(const Net& net, std::size_t most) {
  std::vector<std::uint32_t> steps;
  std::vector<std::size_t> times(net.transitions.size());
  std::vector<std::size_t> last(net.transitions.size());
  Marking marking = initial_marking(net);
  while (steps.size() < most) {
    std::optional<std::uint32_t> best;
    for (std::uint32_t t = 0; t < net.transitions.size(); ++t) {
      if (!is_enabled(net.transitions[t], marking)) continue;
      const auto rank = [&](std::uint32_t x) {
        return std::tuple(leads_to_end(net, net.transitions[x]), times[x], last[x], x);
      };
      if (!best || rank(t) < rank(*best)) best = t;
    }
    if (!best) break;
    fire(net.transitions[*best], marking);
    steps.push_back(*best);
    ++times[*best];
    last[*best] = steps.size();
    const bool all = std::none_of(times.begin(), times.end(), [](std::size_t n) { return n == 0; });
    if (all && marking == initial_marking(net)) break;
  }
  return steps;
}

}  // namespace lockbench
