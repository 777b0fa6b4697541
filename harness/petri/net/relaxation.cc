// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/net/relaxation.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "harness/petri/net/invariants.h"

namespace lockbench::internal {
namespace {

// Further invariants are ignored: without them, the net can do more.
constexpr std::size_t kMostInvariants = 500;

// An invariant as a bound on the threads' places, with a slack place for the rest of the sum.
struct Slack {
  std::vector<Arc> own;
  std::uint64_t sum = 0;
  std::uint32_t place = 0;
};

// The only place that tokens of `place` can move to, if silent transitions move them one by one.
std::optional<std::uint32_t> only_successor(const Net& net, std::uint32_t place) {
  std::optional<std::uint32_t> to;
  for (const NetTransition& transition : net.transitions) {
    if (weight_of(transition.pre, place) == 0) continue;
    const bool moves_one = !transition.event && transition.pre == std::vector{Arc{place}} &&
                           transition.post.size() == 1 && transition.post[0].weight == 1;
    if (!moves_one || transition.post[0].place == place) return std::nullopt;
    if (to.value_or(transition.post[0].place) != transition.post[0].place) return std::nullopt;
    to = transition.post[0].place;
  }
  return to;
}

void redirect(std::vector<Arc>& arcs, std::uint32_t from, std::uint32_t to) {
  const std::uint32_t weight = weight_of(arcs, from);
  if (weight == 0) return;
  std::erase_if(arcs, [from](const Arc& arc) { return arc.place == from; });
  const auto known =
      std::find_if(arcs.begin(), arcs.end(), [to](const Arc& arc) { return arc.place == to; });
  if (known == arcs.end()) {
    arcs.push_back({to, weight});
  } else {
    known->weight += weight;
  }
}

// Merges one place with its only successor. False if there is no place of this kind.
bool fuse_one(Net& net) {
  for (std::uint32_t place = 0; place < net.places.size(); ++place) {
    const std::optional<std::uint32_t> to = only_successor(net, place);
    if (!to) continue;
    std::erase_if(net.transitions, [place](const NetTransition& transition) {
      return weight_of(transition.pre, place) != 0;
    });
    for (NetTransition& transition : net.transitions) redirect(transition.post, place, *to);
    net.places[*to].tokens += std::exchange(net.places[place].tokens, 0);
    return true;
  }
  return false;
}

class Relaxer {
 public:
  explicit Relaxer(const Net& net) : net_(net), kept_(net.places.size()) {
    for (std::uint32_t p = 0; p < net.places.size(); ++p) {
      kept_[p] = !net.places[p].owner.empty();
    }
  }

  Net relaxed() {
    if (std::none_of(kept_.begin(), kept_.end(), [](bool kept) { return kept; })) return net_;
    Net net{.name = net_.name, .places = net_.places};
    for (std::uint32_t p = 0; p < net.places.size(); ++p) {
      if (!kept_[p]) net.places[p].tokens = 0;
    }
    add_slacks(net);
    for (const NetTransition& transition : net_.transitions) {
      NetTransition made{
          .name = transition.name, .label = transition.label, .event = transition.event};
      copy_own(transition, made);
      for (const Slack& slack : slacks_) move(slack, transition, made);
      if (made.event || made.pre != made.post) net.transitions.push_back(std::move(made));
    }
    while (fuse_one(net)) {
    }
    return net;
  }

 private:
  void add_slacks(Net& net) {
    for (const Invariant& invariant : find_invariants(net_, kMostInvariants).found) {
      Slack slack{.sum = invariant.sum, .place = static_cast<std::uint32_t>(net.places.size())};
      std::copy_if(invariant.places.begin(), invariant.places.end(), std::back_inserter(slack.own),
                   [this](const Arc& arc) { return kept_[arc.place]; });
      if (slack.own.empty() || slack.own.size() == invariant.places.size()) continue;
      std::uint64_t tokens = slack.sum;
      for (const Arc& arc : slack.own) {
        tokens -= std::uint64_t{arc.weight} * net_.places[arc.place].tokens;
      }
      if (tokens > kMostTokens) continue;
      net.places.push_back({.name = "slack_" + std::to_string(slacks_.size()),
                            .tokens = static_cast<std::uint32_t>(tokens)});
      slacks_.push_back(std::move(slack));
    }
  }

  void copy_own(const NetTransition& from, NetTransition& to) const {
    const auto own = [this](const Arc& arc) { return kept_[arc.place]; };
    std::copy_if(from.pre.begin(), from.pre.end(), std::back_inserter(to.pre), own);
    std::copy_if(from.post.begin(), from.post.end(), std::back_inserter(to.post), own);
  }

  static void move(const Slack& slack, const NetTransition& transition, NetTransition& made) {
    std::int64_t more = 0;
    for (const Arc& arc : slack.own) {
      more += std::int64_t{arc.weight} * weight_of(transition.post, arc.place);
      more -= std::int64_t{arc.weight} * weight_of(transition.pre, arc.place);
    }
    if (more > 0) made.pre.push_back({slack.place, static_cast<std::uint32_t>(more)});
    if (more < 0) made.post.push_back({slack.place, static_cast<std::uint32_t>(-more)});
  }

  const Net& net_;
  std::vector<bool> kept_;
  std::vector<Slack> slacks_;
};

}  // namespace

Net relaxed(const Net& net) {
  return Relaxer(net).relaxed();
}

}  // namespace lockbench::internal
