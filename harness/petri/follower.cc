// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/follower.h"

#include <algorithm>
#include <set>
#include <utility>

namespace lockbench::internal {
namespace {

// No model of ours needs more unseen steps before one that is seen.
constexpr std::size_t kMostUnseen = 6;

bool is_unseen(const NetTransition& transition) {
  return transition.event.empty();
}

// Whether it gives back some of what it takes.
bool looks(const NetTransition& transition) {
  return std::any_of(transition.takes.begin(), transition.takes.end(),
                     [&](const Arc& arc) { return weight_of(transition.gives, arc.place) != 0; });
}

// The place of the one token that it moves, when it gives back all else that it takes.
std::optional<std::uint32_t> moved_alone(const NetTransition& transition) {
  std::optional<std::uint32_t> place;
  for (const Arc& arc : transition.takes) {
    const std::uint32_t given = weight_of(transition.gives, arc.place);
    if (given == arc.weight) continue;
    if (given != 0 || arc.weight != 1 || place) return std::nullopt;
    place = arc.place;
  }
  return place;
}

// Where it brings the token from, when it does nothing else.
std::optional<std::uint32_t> source_of(const NetTransition& transition) {
  const bool moves_one = transition.takes.size() == 1 && transition.takes[0].weight == 1 &&
                         transition.gives.size() == 1 && transition.gives[0].weight == 1;
  if (!moves_one) return std::nullopt;
  return transition.takes[0].place;
}

bool takes_from(const NetTransition& transition, const std::vector<bool>& places) {
  return std::any_of(transition.takes.begin(), transition.takes.end(),
                     [&](const Arc& arc) { return places[arc.place]; });
}

// Unseen transitions that give there.
std::vector<std::uint32_t> unseen_givers(const Net& net, std::uint32_t place) {
  std::vector<std::uint32_t> givers;
  for (std::uint32_t t = 0; t < net.transitions.size(); ++t) {
    const NetTransition& transition = net.transitions[t];
    if (is_unseen(transition) && weight_of(transition.gives, place) != 0) givers.push_back(t);
  }
  return givers;
}

// Where unseen steps can carry what the transition gives and does not take.
std::vector<bool> reached_unseen(const Net& net, const NetTransition& from) {
  std::vector<bool> reached(net.places.size());
  for (const Arc& arc : from.gives) {
    if (weight_of(from.takes, arc.place) == 0) reached[arc.place] = true;
  }
  for (bool more = true; more;) {
    more = false;
    for (const NetTransition& transition : net.transitions) {
      if (!is_unseen(transition) || !takes_from(transition, reached)) continue;
      for (const Arc& arc : transition.gives) {
        if (!reached[arc.place]) more = reached[arc.place] = true;
      }
    }
  }
  return reached;
}

}  // namespace

Follower::Follower(const Net& net, Breadth breadth)
    : net_(net),
      breadth_(breadth),
      givers_(net.places.size()),
      glance_of_(net.transitions.size(), kNever),
      led_to_(net.transitions.size(), kNever) {
  for (std::uint32_t t = 0; t < net.transitions.size(); ++t) {
    const NetTransition& transition = net.transitions[t];
    by_event_[transition.name].push_back(t);
    if (!is_unseen(transition) && transition.event != transition.name) {
      by_event_[transition.event].push_back(t);
    }
    if (is_unseen(transition)) sort_unseen(t);
  }
  Way begin{.marking = initial_marking(net)};
  begin.since.resize(glances_.size(), kNever);
  look_around(begin);
  ways_.push_back(std::move(begin));
}

void Follower::sort_unseen(std::uint32_t t) {
  const NetTransition& transition = net_.transitions[t];
  if (looks(transition)) {
    if (std::optional<Glance> glance = glance_from(t)) {
      glance_of_[t] = glances_.size();
      for (const std::uint32_t lead : unseen_givers(net_, glance->at[0])) {
        led_to_[lead] = glances_.size();
      }
      glances_.push_back(*std::move(glance));
    } else if (breadth_.foresees) {
      looking_.push_back(t);
      return;
    } else {
      certain_ = false;
    }
  }
  for (const Arc& arc : transition.gives) givers_[arc.place].push_back(t);
}

// To put it in afterwards must be all the same to what else was put in: nothing that looks may take
// what it takes, or see what it gives.
std::optional<Follower::Glance> Follower::glance_from(std::uint32_t t) const {
  const NetTransition& glance = net_.transitions[t];
  const std::optional<std::uint32_t> place = moved_alone(glance);
  if (!place) return std::nullopt;
  std::vector<bool> at(net_.places.size());
  Glance found{.transition = t, .at = {*place}};
  for (const std::uint32_t lead : unseen_givers(net_, *place)) {
    const std::optional<std::uint32_t> source = source_of(net_.transitions[lead]);
    if (!source || !unseen_givers(net_, *source).empty()) return std::nullopt;
    found.at.push_back(*source);
  }
  for (const std::uint32_t p : found.at) at[p] = true;
  const std::vector<bool> given = reached_unseen(net_, glance);
  const bool alone = std::none_of(
      net_.transitions.begin(), net_.transitions.end(), [&](const NetTransition& other) {
        if (!is_unseen(other) || !looks(other)) return false;
        return takes_from(other, given) || (&other != &glance && takes_from(other, at));
      });
  if (!alone) return std::nullopt;
  return found;
}

bool Follower::follow(const std::string& event) {
  if (breadth_.foresees) add_unseen_ways();
  std::vector<Way> next;
  for (const Way& way : ways_) {
    for (const std::uint32_t t : by_event_.at(event)) {
      for (Way& ready : made_ready(way, t, kMostUnseen)) {
        next.push_back(taken(std::move(ready), t, false));
      }
    }
  }
  if (next.empty()) return false;
  keep_best(std::move(next));
  return true;
}

std::vector<std::uint32_t> Follower::steps() const {
  std::vector<std::size_t> path;
  for (std::size_t i = ways_[0].last; i != 0; i = log_[i].before) path.push_back(i);
  std::reverse(path.begin(), path.end());
  // The log grows along a path. What was put in comes right after the step that it names.
  const auto moment = [this](std::size_t i) {
    return log_[i].after == kNever ? std::pair(i, 0) : std::pair(log_[i].after, 1);
  };
  std::stable_sort(path.begin(), path.end(),
                   [&](std::size_t a, std::size_t b) { return moment(a) < moment(b); });
  std::vector<std::uint32_t> steps;
  for (const std::size_t i : path) steps.push_back(log_[i].transition);
  return steps;
}

std::vector<std::string> Follower::possible() {
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

Follower::Way Follower::taken(Way way, std::uint32_t t, bool unseen) {
  LoggedStep step{.before = way.last, .transition = t};
  if (glance_of_[t] != kNever) step.after = way.since[glance_of_[t]];
  if (led_to_[t] != kNever) step.after = way.since[led_to_[t]];
  withdraw(way, t);
  // What a glance saw may be gone by now; it is given back as it is taken.
  fire(net_.transitions[t], way.marking);
  log_.push_back(step);
  way.last = log_.size() - 1;
  way.unseen += unseen ? 1 : 0;
  look_around(way);
  return way;
}

// Glances that are possible now, or would be after the step that brings the token.
void Follower::look_around(Way& way) const {
  for (std::size_t i = 0; i < glances_.size(); ++i) {
    if (way.since[i] != kNever) continue;
    const auto& [transition, at] = glances_[i];
    const std::vector<Arc>& takes = net_.transitions[transition].takes;
    const bool sees = std::all_of(takes.begin(), takes.end(), [&](const Arc& arc) {
      return arc.place == at[0] || way.marking[arc.place] >= arc.weight;
    });
    const bool there =
        std::any_of(at.begin(), at.end(), [&way](std::uint32_t p) { return way.marking[p] != 0; });
    if (sees && there) way.since[i] = way.last;
  }
}

// Glances whose token this step takes elsewhere.
void Follower::withdraw(Way& way, std::uint32_t t) {
  for (std::size_t i = 0; i < glances_.size(); ++i) {
    if (way.since[i] == kNever || led_to_[t] == i) continue;
    std::uint64_t left = 0;
    bool takes = false;
    for (const std::uint32_t place : glances_[i].at) {
      const std::uint32_t weight = weight_of(net_.transitions[t].takes, place);
      takes = takes || weight != 0;
      left += way.marking[place] - weight;
    }
    if (!takes) continue;
    way.since[i] = kNever;
    // There was another, for which nothing is remembered.
    if (left != 0) certain_ = false;
  }
}

// The ways on from here, by unseen steps alone, to where `t` may fire. Only steps that bring a
// token which is missing are tried.
std::vector<Follower::Way> Follower::made_ready(const Way& way, std::uint32_t t, std::size_t most) {
  const bool has_looked = glance_of_[t] != kNever && way.since[glance_of_[t]] != kNever;
  const auto lacks = [&](const Arc& arc) {
    if (has_looked && arc.place != glances_[glance_of_[t]].at[0]) return false;
    return way.marking[arc.place] < arc.weight;
  };
  const std::vector<Arc>& takes = net_.transitions[t].takes;
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

// All that unseen steps which look lead to from here.
void Follower::add_unseen_ways() {
  std::set<Outlook> seen;
  for (const Way& way : ways_) seen.insert(outlook(way));
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    for (const std::uint32_t t : looking_) {
      for (Way& ready : made_ready(ways_[i], t, kMostUnseen)) {
        Way after = taken(std::move(ready), t, true);
        if (!seen.insert(outlook(after)).second) continue;
        if (ways_.size() == breadth_.ways) {
          certain_ = false;
          return;
        }
        ways_.push_back(std::move(after));
      }
    }
  }
}

// All that the way's future depends on.
Follower::Outlook Follower::outlook(const Way& way) {
  std::vector<bool> possible;
  for (const std::size_t since : way.since) possible.push_back(since != kNever);
  return {way.marking, std::move(possible)};
}

void Follower::keep_best(std::vector<Way> next) {
  std::stable_sort(next.begin(), next.end(),
                   [](const Way& a, const Way& b) { return a.unseen < b.unseen; });
  std::set<Outlook> seen;
  ways_.clear();
  for (Way& way : next) {
    if (!seen.insert(outlook(way)).second) continue;
    if (ways_.size() == breadth_.ways) {
      certain_ = false;
      break;
    }
    ways_.push_back(std::move(way));
  }
}

}  // namespace lockbench::internal
