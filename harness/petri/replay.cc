// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/replay.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "harness/petri/follower.h"
#include "harness/petri/relaxation.h"

namespace lockbench {
namespace {

using internal::Breadth;
using internal::Follower;

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

// Whether a net that can do more than this one cannot do it.
bool cannot_be(const Net& net, std::span<const std::string> events) {
  const Net more = internal::relaxed(net);
  const Replay done = follow_all(more, events, {.ways = kWaysKept});
  return !done.conforms && !done.unknown && done.certain;
}

}  // namespace

Replay replay(const Net& net, std::span<const std::string> events) {
  // The way with the fewest unseen steps explains most of what is seen, and costs least.
  Replay straight = follow_all(net, events, {.ways = 1});
  if (straight.conforms || straight.unknown || straight.certain) return straight;
  if (cannot_be(net, events.first(straight.refused + 1))) {
    straight.certain = true;
    return straight;
  }
  Replay result = follow_all(net, events, {.ways = kWaysKept});
  if (result.conforms || result.certain) return result;
  if (result.refused > straight.refused && cannot_be(net, events.first(result.refused + 1))) {
    result.certain = true;
    return result;
  }
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
