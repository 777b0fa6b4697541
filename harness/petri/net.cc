// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/net.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <unordered_set>
#include <utility>

namespace lockbench {
namespace {

absl::Status wrong(const std::string& what) {
  return absl::InvalidArgumentError(what);
}

absl::Status check_arcs(const Net& net, const NetTransition& transition,
                        const std::vector<Arc>& arcs) {
  std::set<std::uint32_t> seen;
  for (const Arc& arc : arcs) {
    if (arc.place >= net.places.size()) {
      return wrong("transition '" + transition.name + "' has an arc to place number " +
                   std::to_string(arc.place) + "; there are " + std::to_string(net.places.size()));
    }
    if (!seen.insert(arc.place).second) {
      return wrong("transition '" + transition.name + "' has two arcs to place '" +
                   net.places[arc.place].name + "'; make them one, with their weights added");
    }
    if (arc.weight == 0 || arc.weight > kMostTokens) {
      return wrong("transition '" + transition.name + "' has an arc of weight " +
                   std::to_string(arc.weight) + "; weights are 1 to " +
                   std::to_string(kMostTokens));
    }
  }
  return absl::OkStatus();
}

absl::Status check_names(const Net& net) {
  std::unordered_set<std::string> names;
  const auto check = [&names](const std::string& name) {
    if (name.empty()) return wrong("a place or transition has no name");
    if (!names.insert(name).second) return wrong("the name '" + name + "' is used twice");
    return absl::OkStatus();
  };
  for (const NetPlace& place : net.places) {
    if (const absl::Status status = check(place.name); !status.ok()) return status;
    if (place.tokens > kMostTokens) {
      return wrong("place '" + place.name + "' starts with " + std::to_string(place.tokens) +
                   " tokens; the most is " + std::to_string(kMostTokens));
    }
  }
  for (const NetTransition& transition : net.transitions) {
    if (const absl::Status status = check(transition.name); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// What a transition does, its name aside, in a form that can be compared.
using Deed = std::pair<std::vector<std::pair<std::uint32_t, std::uint32_t>>,
                       std::vector<std::pair<std::uint32_t, std::uint32_t>>>;

Deed deed_of(const NetTransition& transition, const std::vector<std::uint32_t>& image) {
  const auto mapped = [&image](const std::vector<Arc>& arcs) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> list;
    for (const Arc& arc : arcs) list.emplace_back(image[arc.place], arc.weight);
    std::sort(list.begin(), list.end());
    return list;
  };
  return {mapped(transition.takes), mapped(transition.gives)};
}

std::vector<std::uint32_t> identity(std::size_t size) {
  std::vector<std::uint32_t> image(size);
  std::iota(image.begin(), image.end(), 0U);
  return image;
}

bool keeps_marks(const Net& net, const std::vector<std::uint32_t>& image) {
  std::vector<std::uint32_t> wanted(net.places.size());
  for (const Arc& arc : net.final_tokens) wanted[arc.place] = arc.weight;
  for (std::size_t p = 0; p < image.size(); ++p) {
    if (net.places[p].tokens != net.places[image[p]].tokens) return false;
    if (wanted[p] != wanted[image[p]]) return false;
  }
  return std::all_of(net.claims.begin(), net.claims.end(), [&image](const Claim& claim) {
    const std::set<std::uint32_t> places(claim.places.begin(), claim.places.end());
    return std::all_of(places.begin(), places.end(),
                       [&](std::uint32_t p) { return places.contains(image[p]); });
  });
}

}  // namespace

std::uint32_t weight_of(const std::vector<Arc>& arcs, std::uint32_t place) {
  for (const Arc& arc : arcs) {
    if (arc.place == place) return arc.weight;
  }
  return 0;
}

Marking initial_marking(const Net& net) {
  Marking marking;
  marking.reserve(net.places.size());
  for (const NetPlace& place : net.places) marking.push_back(place.tokens);
  return marking;
}

bool is_enabled(const NetTransition& transition, const Marking& marking) {
  return std::all_of(transition.takes.begin(), transition.takes.end(),
                     [&marking](const Arc& arc) { return marking[arc.place] >= arc.weight; });
}

void fire(const NetTransition& transition, Marking& marking) {
  for (const Arc& arc : transition.takes) marking[arc.place] -= arc.weight;
  for (const Arc& arc : transition.gives) marking[arc.place] += arc.weight;
}

bool is_final(const Net& net, const Marking& marking) {
  if (net.final_tokens.empty()) return false;
  return std::all_of(net.final_tokens.begin(), net.final_tokens.end(),
                     [&marking](const Arc& arc) { return marking[arc.place] >= arc.weight; });
}

const Claim* broken_claim(const Net& net, const Marking& marking) {
  for (const Claim& claim : net.claims) {
    std::uint64_t sum = 0;
    for (const std::uint32_t place : claim.places) sum += marking[place];
    if (sum > claim.most) return &claim;
  }
  return nullptr;
}

const std::string& words_of(const NetPlace& place) {
  return place.says.empty() ? place.name : place.says;
}

const std::string& words_of(const NetTransition& transition) {
  return transition.says.empty() ? transition.name : transition.says;
}

std::optional<std::uint32_t> find_transition(const Net& net, const std::string& name) {
  for (std::uint32_t t = 0; t < net.transitions.size(); ++t) {
    if (net.transitions[t].name == name) return t;
  }
  return std::nullopt;
}

std::optional<std::vector<std::uint32_t>> exchanged(const Net& net, const Symmetry& symmetry,
                                                    std::size_t left) {
  const std::vector<std::uint32_t>& a = symmetry.columns[left];
  const std::vector<std::uint32_t>& b = symmetry.columns[left + 1];
  if (a.size() != b.size()) return std::nullopt;
  std::vector<std::uint32_t> image = identity(net.places.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    image[a[i]] = b[i];
    image[b[i]] = a[i];
  }
  if (!keeps_marks(net, image)) return std::nullopt;

  // Transitions that do the same are told apart by how many of them came before.
  const std::vector<std::uint32_t> same = identity(net.places.size());
  std::map<Deed, std::vector<std::uint32_t>> by_deed;
  for (std::uint32_t t = 0; t < net.transitions.size(); ++t) {
    by_deed[deed_of(net.transitions[t], same)].push_back(t);
  }
  std::map<Deed, std::size_t> used;
  std::vector<std::uint32_t> images;
  for (const NetTransition& transition : net.transitions) {
    const Deed deed = deed_of(transition, image);
    const auto found = by_deed.find(deed);
    if (found == by_deed.end() || used[deed] == found->second.size()) return std::nullopt;
    images.push_back(found->second[used[deed]++]);
  }
  return images;
}

absl::Status validate(const Net& net) {
  if (const absl::Status status = check_names(net); !status.ok()) return status;
  for (const NetTransition& transition : net.transitions) {
    for (const std::vector<Arc>* arcs : {&transition.takes, &transition.gives}) {
      if (const absl::Status status = check_arcs(net, transition, *arcs); !status.ok()) {
        return status;
      }
    }
  }
  for (const Symmetry& symmetry : net.symmetries) {
    for (std::size_t left = 0; left + 1 < symmetry.columns.size(); ++left) {
      if (!exchanged(net, symmetry, left)) {
        return wrong("net '" + net.name + "': columns " + std::to_string(left) + " and " +
                     std::to_string(left + 1) + " are no symmetry of it");
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace lockbench
