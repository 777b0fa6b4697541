// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/net/replay.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "harness/petri/net/relaxation.h"
#include "harness/petri/net/trace_matcher.h"

namespace lockbench {
namespace {

using internal::MatchBreadth;
using internal::TraceMatcher;

bool leads_to_final(const Net& net, const NetTransition& transition) {
  return std::any_of(transition.post.begin(), transition.post.end(), [&net](const Arc& arc) {
    return std::any_of(net.final_tokens.begin(), net.final_tokens.end(),
                       [&arc](const Arc& end) { return end.place == arc.place; });
  });
}

ReplayResult match(const Net& net, std::span<const NetEvent> events, MatchBreadth breadth) {
  ReplayResult result;
  TraceMatcher matcher(net, breadth);
  for (std::size_t i = 0; i < events.size() && result.conforms; ++i) {
    result.unknown = !matcher.knows(events[i]);
    if (!result.unknown && matcher.follow(events[i])) continue;
    result.conforms = false;
    result.refused = i;
    result.possible = matcher.possible();
  }
  result.certain = result.conforms || matcher.certain();
  result.before = matcher.marking();
  result.steps = matcher.steps();
  const std::set<std::uint32_t> fired(result.steps.begin(), result.steps.end());
  for (std::uint32_t t = 0; t < net.transitions.size(); ++t) {
    if (net.transitions[t].event && !fired.contains(t)) result.unfired.push_back(t);
  }
  return result;
}

// True if even the relaxed net, which can do more than this one, cannot do it.
bool is_impossible(const Net& net, std::span<const NetEvent> events) {
  const Net more = internal::relaxed(net);
  const ReplayResult done = match(more, events, {.candidates = kCandidates});
  return !done.conforms && !done.unknown && done.certain;
}

}  // namespace

ReplayResult replay(const Net& net, std::span<const NetEvent> events) {
  // One candidate is enough for most traces, and costs least.
  ReplayResult first = match(net, events, {.candidates = 1});
  if (first.conforms || first.unknown || first.certain) return first;
  if (is_impossible(net, events.first(first.refused + 1))) {
    first.certain = true;
    return first;
  }
  ReplayResult result = match(net, events, {.candidates = kCandidates});
  if (result.conforms || result.certain) return result;
  if (result.refused > first.refused && is_impossible(net, events.first(result.refused + 1))) {
    result.certain = true;
    return result;
  }
  // A silent read may have been enabled only for a while before it was needed.
  ReplayResult ahead = match(net, events, {.candidates = kLookaheadCandidates, .lookahead = true});
  if (ahead.conforms || ahead.refused > result.refused) return ahead;
  result.certain = ahead.certain;
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
        return std::tuple(leads_to_final(net, net.transitions[x]), times[x], last[x], x);
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
