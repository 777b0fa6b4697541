// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/net/trace_matcher.h"

#include <algorithm>
#include <set>
#include <utility>

namespace lockbench::internal {
namespace {

// No model of lock_models.h needs more silent transitions before an observable one.
constexpr std::size_t kMostSilent = 6;

bool is_silent(const NetTransition& transition) {
  return !transition.event.has_value();
}

bool has_read_arc(const NetTransition& transition) {
  return std::any_of(transition.pre.begin(), transition.pre.end(),
                     [&](const Arc& arc) { return weight_of(transition.post, arc.place) != 0; });
}

// The place of the one token that it moves, if it returns all other tokens that it consumes.
std::optional<std::uint32_t> only_moved_place(const NetTransition& transition) {
  std::optional<std::uint32_t> place;
  for (const Arc& arc : transition.pre) {
    const std::uint32_t returned = weight_of(transition.post, arc.place);
    if (returned == arc.weight) continue;
    if (returned != 0 || arc.weight != 1 || place) return std::nullopt;
    place = arc.place;
  }
  return place;
}

// The place of the pre-set, if the transition moves one token and does nothing else.
std::optional<std::uint32_t> source_of(const NetTransition& transition) {
  const bool moves_one = transition.pre.size() == 1 && transition.pre[0].weight == 1 &&
                         transition.post.size() == 1 && transition.post[0].weight == 1;
  if (!moves_one) return std::nullopt;
  return transition.pre[0].place;
}

bool consumes_from(const NetTransition& transition, const std::vector<bool>& places) {
  return std::any_of(transition.pre.begin(), transition.pre.end(),
                     [&](const Arc& arc) { return places[arc.place]; });
}

std::vector<std::uint32_t> silent_producers(const Net& net, std::uint32_t place) {
  std::vector<std::uint32_t> producers;
  for (std::uint32_t t = 0; t < net.transitions.size(); ++t) {
    const NetTransition& transition = net.transitions[t];
    if (is_silent(transition) && weight_of(transition.post, place) != 0) producers.push_back(t);
  }
  return producers;
}

// The places that silent transitions can carry the produced tokens to.
std::vector<bool> reached_silently(const Net& net, const NetTransition& from) {
  std::vector<bool> reached(net.places.size());
  for (const Arc& arc : from.post) {
    if (weight_of(from.pre, arc.place) == 0) reached[arc.place] = true;
  }
  for (bool more = true; more;) {
    more = false;
    for (const NetTransition& transition : net.transitions) {
      if (!is_silent(transition) || !consumes_from(transition, reached)) continue;
      for (const Arc& arc : transition.post) {
        if (!reached[arc.place]) more = reached[arc.place] = true;
      }
    }
  }
  return reached;
}

}  // namespace

TraceMatcher::TraceMatcher(const Net& net, MatchBreadth breadth)
    : net_(net),
      breadth_(breadth),
      producers_(net.places.size()),
      read_of_(net.transitions.size(), kNever),
      brings_to_(net.transitions.size(), kNever) {
  for (std::uint32_t t = 0; t < net.transitions.size(); ++t) {
    const NetTransition& transition = net.transitions[t];
    const NetEvent by_name{.lock = transition.name};
    by_event_[by_name].push_back(t);
    if (is_silent(transition)) {
      classify_silent(t);
    } else if (transition.event != by_name) {
      by_event_[*transition.event].push_back(t);
    }
  }
  Candidate begin{.marking = initial_marking(net)};
  begin.since.resize(reads_.size(), kNever);
  note_enabled_reads(begin);
  candidates_.push_back(std::move(begin));
}

void TraceMatcher::classify_silent(std::uint32_t t) {
  const NetTransition& transition = net_.transitions[t];
  if (has_read_arc(transition)) {
    if (std::optional<DeferrableRead> read = deferrable_read(t)) {
      read_of_[t] = reads_.size();
      for (const std::uint32_t lead : silent_producers(net_, read->sources[0])) {
        brings_to_[lead] = reads_.size();
      }
      reads_.push_back(*std::move(read));
    } else if (breadth_.lookahead) {
      ahead_.push_back(t);
      return;
    } else {
      certain_ = false;
    }
  }
  for (const Arc& arc : transition.post) producers_[arc.place].push_back(t);
}

// A read can be inserted afterwards only if that makes no difference to other silent reads: none of
// them may consume what it consumes, or depend on what it produces.
std::optional<TraceMatcher::DeferrableRead> TraceMatcher::deferrable_read(std::uint32_t t) const {
  const NetTransition& read = net_.transitions[t];
  const std::optional<std::uint32_t> place = only_moved_place(read);
  if (!place) return std::nullopt;
  std::vector<bool> sources(net_.places.size());
  DeferrableRead found{.transition = t, .sources = {*place}};
  for (const std::uint32_t lead : silent_producers(net_, *place)) {
    const std::optional<std::uint32_t> source = source_of(net_.transitions[lead]);
    if (!source || !silent_producers(net_, *source).empty()) return std::nullopt;
    found.sources.push_back(*source);
  }
  for (const std::uint32_t p : found.sources) sources[p] = true;
  const std::vector<bool> produced = reached_silently(net_, read);
  const bool alone = std::none_of(
      net_.transitions.begin(), net_.transitions.end(), [&](const NetTransition& other) {
        if (!is_silent(other) || !has_read_arc(other)) return false;
        return consumes_from(other, produced) || (&other != &read && consumes_from(other, sources));
      });
  if (!alone) return std::nullopt;
  return found;
}

bool TraceMatcher::follow(const NetEvent& event) {
  if (breadth_.lookahead) look_ahead();
  std::vector<Candidate> next;
  for (const Candidate& candidate : candidates_) {
    for (const std::uint32_t t : by_event_.at(event)) {
      for (Candidate& ready : made_ready(candidate, t, kMostSilent)) {
        next.push_back(fired(std::move(ready), t, false));
      }
    }
  }
  if (next.empty()) return false;
  keep_best(std::move(next));
  return true;
}

std::vector<std::uint32_t> TraceMatcher::steps() const {
  std::vector<std::size_t> path;
  for (std::size_t i = candidates_[0].last; i != 0; i = log_[i].before) path.push_back(i);
  std::reverse(path.begin(), path.end());
  // Steps are logged in the order of the path. A deferred step belongs right after the step that
  // its `after` names.
  const auto moment = [this](std::size_t i) {
    return log_[i].after == kNever ? std::pair(i, 0) : std::pair(log_[i].after, 1);
  };
  std::stable_sort(path.begin(), path.end(),
                   [&](std::size_t a, std::size_t b) { return moment(a) < moment(b); });
  std::vector<std::uint32_t> steps;
  for (const std::size_t i : path) steps.push_back(log_[i].transition);
  return steps;
}

std::vector<NetEvent> TraceMatcher::possible() {
  std::set<NetEvent> events;
  for (const Candidate& candidate : candidates_) {
    for (std::uint32_t t = 0; t < net_.transitions.size(); ++t) {
      const std::optional<NetEvent>& event = net_.transitions[t].event;
      if (!event || events.contains(*event)) continue;
      if (!made_ready(candidate, t, kMostSilent).empty()) events.insert(*event);
    }
  }
  return {events.begin(), events.end()};
}

TraceMatcher::Candidate TraceMatcher::fired(Candidate candidate, std::uint32_t t, bool silent) {
  LoggedStep step{.before = candidate.last, .transition = t};
  if (read_of_[t] != kNever) step.after = candidate.since[read_of_[t]];
  if (brings_to_[t] != kNever) step.after = candidate.since[brings_to_[t]];
  withdraw_reads(candidate, t);
  // The tokens that a deferred read needs may have been consumed since then. The read returns them,
  // so the marking after the step is still correct.
  fire(net_.transitions[t], candidate.marking);
  log_.push_back(step);
  candidate.last = log_.size() - 1;
  candidate.silent += silent ? 1 : 0;
  note_enabled_reads(candidate);
  return candidate;
}

// Deferrable reads that are enabled now, or would be after the step that brings the token.
void TraceMatcher::note_enabled_reads(Candidate& candidate) const {
  for (std::size_t i = 0; i < reads_.size(); ++i) {
    if (candidate.since[i] != kNever) continue;
    const auto& [transition, sources] = reads_[i];
    const std::vector<Arc>& pre = net_.transitions[transition].pre;
    const bool reads = std::all_of(pre.begin(), pre.end(), [&](const Arc& arc) {
      return arc.place == sources[0] || candidate.marking[arc.place] >= arc.weight;
    });
    const bool has_token =
        std::any_of(sources.begin(), sources.end(),
                    [&candidate](std::uint32_t p) { return candidate.marking[p] != 0; });
    if (reads && has_token) candidate.since[i] = candidate.last;
  }
}

// Deferrable reads whose token this step moves elsewhere.
void TraceMatcher::withdraw_reads(Candidate& candidate, std::uint32_t t) {
  for (std::size_t i = 0; i < reads_.size(); ++i) {
    if (candidate.since[i] == kNever || brings_to_[t] == i) continue;
    std::uint64_t left = 0;
    bool consumes = false;
    for (const std::uint32_t place : reads_[i].sources) {
      const std::uint32_t weight = weight_of(net_.transitions[t].pre, place);
      consumes = consumes || weight != 0;
      left += candidate.marking[place] - weight;
    }
    if (!consumes) continue;
    candidate.since[i] = kNever;
    // Another token is left, and it is unknown since when the read has been enabled with that
    // token.
    if (left != 0) certain_ = false;
  }
}

// The candidates that silent transitions lead to from here, in which `t` is enabled. Only
// transitions that produce a missing token are tried.
std::vector<TraceMatcher::Candidate> TraceMatcher::made_ready(const Candidate& candidate,
                                                              std::uint32_t t, std::size_t most) {
  const bool has_read = read_of_[t] != kNever && candidate.since[read_of_[t]] != kNever;
  const auto lacks = [&](const Arc& arc) {
    if (has_read && arc.place != reads_[read_of_[t]].sources[0]) return false;
    return candidate.marking[arc.place] < arc.weight;
  };
  const std::vector<Arc>& pre = net_.transitions[t].pre;
  const auto missing = std::find_if(pre.begin(), pre.end(), lacks);
  if (missing == pre.end()) return {candidate};
  std::vector<Candidate> ready;
  const bool never = std::any_of(missing, pre.end(), [&](const Arc& arc) {
    return lacks(arc) && producers_[arc.place].empty();
  });
  if (most == 0 || never) return ready;
  for (const std::uint32_t producer : producers_[missing->place]) {
    for (const Candidate& before : made_ready(candidate, producer, most - 1)) {
      const Candidate after = fired(before, producer, true);
      const std::size_t used = after.silent - candidate.silent;
      if (used > most) continue;
      for (Candidate& found : made_ready(after, t, most - used)) ready.push_back(std::move(found));
    }
  }
  return ready;
}

// Adds every candidate that silent reads lead to from here.
void TraceMatcher::look_ahead() {
  std::set<State> seen;
  for (const Candidate& candidate : candidates_) seen.insert(state_of(candidate));
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    for (const std::uint32_t t : ahead_) {
      for (Candidate& ready : made_ready(candidates_[i], t, kMostSilent)) {
        Candidate after = fired(std::move(ready), t, true);
        if (!seen.insert(state_of(after)).second) continue;
        if (candidates_.size() == breadth_.candidates) {
          certain_ = false;
          return;
        }
        candidates_.push_back(std::move(after));
      }
    }
  }
}

TraceMatcher::State TraceMatcher::state_of(const Candidate& candidate) {
  std::vector<bool> possible;
  for (const std::size_t since : candidate.since) possible.push_back(since != kNever);
  return {candidate.marking, std::move(possible)};
}

void TraceMatcher::keep_best(std::vector<Candidate> next) {
  std::stable_sort(next.begin(), next.end(),
                   [](const Candidate& a, const Candidate& b) { return a.silent < b.silent; });
  std::set<State> seen;
  candidates_.clear();
  for (Candidate& candidate : next) {
    if (!seen.insert(state_of(candidate)).second) continue;
    if (candidates_.size() == breadth_.candidates) {
      certain_ = false;
      break;
    }
    candidates_.push_back(std::move(candidate));
  }
}

}  // namespace lockbench::internal
