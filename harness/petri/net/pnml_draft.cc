// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/net/pnml_draft.h"

#include <algorithm>
#include <utility>

#include "harness/petri/net/pnml.h"

namespace lockbench::internal {
namespace {

// A chain of references of this length is treated as a cycle.
constexpr std::size_t kMostHops = 100;

template <class T>
std::uint32_t count(const std::vector<T>& list) {
  return static_cast<std::uint32_t>(list.size());
}

std::string too_many(std::size_t most, const std::string& what) {
  return "more than " + std::to_string(most) + " " + what + "; use a smaller net";
}

std::string unknown_node(const std::string& who, const std::string& id) {
  return who + " names '" + id + "', which this net does not have; name the id of a node of it";
}

}  // namespace

absl::Status PnmlDraft::at(Line line, const std::string& what) const {
  return absl::InvalidArgumentError(file_ + ":" + std::to_string(line) + ": " + what);
}

std::string PnmlDraft::add_place(const std::string& id) {
  if (net_.places.size() == kMostPlaces) return too_many(kMostPlaces, "places");
  const std::string wrong = known(id, {.is_place = true, .index = count(net_.places)});
  if (wrong.empty()) net_.places.push_back({.name = id});
  return wrong;
}

std::string PnmlDraft::add_transition(const std::string& id) {
  if (net_.transitions.size() == kMostTransitions) {
    return too_many(kMostTransitions, "transitions");
  }
  const std::string wrong = known(id, {.is_place = false, .index = count(net_.transitions)});
  if (wrong.empty()) net_.transitions.push_back({.name = id, .event = parse_event(id)});
  return wrong;
}

std::string PnmlDraft::add_arc(DraftArc arc) {
  if (arcs_.size() == kMostArcs) return too_many(kMostArcs, "arcs");
  const std::size_t bytes = arc.id.size() + arc.source.size() + arc.target.size();
  arcs_.push_back(std::move(arc));
  return count_bytes(bytes);
}

std::string PnmlDraft::add_reference(const std::string& id, const std::string& target) {
  if (references_.size() == kMostPlaces) return too_many(kMostPlaces, "references");
  references_.try_emplace(id, target);
  return count_bytes(id.size() + target.size());
}

std::string PnmlDraft::add_final(DraftFinal token) {
  if (final_.size() == kMostPlaces) return too_many(kMostPlaces, "final markings of places");
  final_.push_back(std::move(token));
  return count_bytes(final_.back().place.size());
}

std::string PnmlDraft::known(const std::string& id, Node node) {
  if (id.empty()) return "a place or transition without an id; give it one";
  if (nodes_.emplace(id, node).second) return count_bytes(id.size());
  return "the id '" + id + "' is used twice; ids are unique";
}

std::string PnmlDraft::count_bytes(std::size_t bytes) {
  bytes_ += bytes;
  if (bytes_ <= kMostBytesOfNames) return "";
  return "ids and names of more than 16 MiB together; shorten them";
}

absl::StatusOr<Net> PnmlDraft::finished(Line line) {
  if (net_.places.empty()) return at(line, "the net has no places; there is nothing to search");
  for (const DraftArc& arc : arcs_) {
    if (const absl::Status status = connect(arc); !status.ok()) return status;
  }
  for (const DraftFinal& token : final_) {
    const std::optional<Node> node = find(token.place);
    if (!node || !node->is_place)
      return at(token.line, unknown_node("the final marking", token.place));
    if (token.tokens > 0) net_.final_tokens.push_back({node->index, token.tokens});
  }
  return std::move(net_);
}

// The node, or the target of the reference.
std::optional<PnmlDraft::Node> PnmlDraft::find(const std::string& id) const {
  const std::string* target = &id;
  for (std::size_t hops = 0; hops <= kMostHops; ++hops) {
    if (const auto node = nodes_.find(*target); node != nodes_.end()) return node->second;
    const auto reference = references_.find(*target);
    if (reference == references_.end()) break;
    target = &reference->second;
  }
  return std::nullopt;
}

absl::Status PnmlDraft::connect(const DraftArc& arc) {
  const std::optional<Node> source = find(arc.source);
  const std::optional<Node> target = find(arc.target);
  const std::string who = "arc '" + arc.id + "'";
  if (!source) return at(arc.line, unknown_node(who, arc.source));
  if (!target) return at(arc.line, unknown_node(who, arc.target));
  if (source->is_place == target->is_place) {
    return at(arc.line, who + " joins two " + (source->is_place ? "places" : "transitions") +
                            "; an arc joins a place and a transition");
  }
  NetTransition& transition = net_.transitions[source->is_place ? target->index : source->index];
  std::vector<Arc>& arcs = source->is_place ? transition.pre : transition.post;
  const std::uint32_t place = source->is_place ? source->index : target->index;
  const auto same = std::find_if(arcs.begin(), arcs.end(),
                                 [place](const Arc& other) { return other.place == place; });
  if (same == arcs.end()) {
    arcs.push_back({place, arc.weight});
  } else if (same->weight + arc.weight <= kMostTokens) {
    same->weight += arc.weight;
  } else {
    return at(arc.line, who + " makes the weights between two nodes more than " +
                            std::to_string(kMostTokens) + " together");
  }
  return absl::OkStatus();
}

}  // namespace lockbench::internal
