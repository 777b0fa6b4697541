// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/net/net.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <unordered_set>
#include <utility>

#include <absl/strings/str_cat.h>

namespace lockbench {
namespace {

absl::Status check_arcs(const Net& net, const NetTransition& transition,
                        const std::vector<Arc>& arcs) {
  std::set<std::uint32_t> seen;
  for (const Arc& arc : arcs) {
    if (arc.place >= net.places.size()) {
      return absl::InvalidArgumentError(
          "transition '" + transition.name + "' has an arc to place number " +
          std::to_string(arc.place) + "; there are " + std::to_string(net.places.size()));
    }
    if (!seen.insert(arc.place).second) {
      return absl::InvalidArgumentError("transition '" + transition.name +
                                        "' has two arcs to place '" + net.places[arc.place].name +
                                        "'; make them one, with their weights added");
    }
    if (arc.weight == 0 || arc.weight > kMostTokens) {
      return absl::InvalidArgumentError("transition '" + transition.name +
                                        "' has an arc of weight " + std::to_string(arc.weight) +
                                        "; weights are 1 to " + std::to_string(kMostTokens));
    }
  }
  return absl::OkStatus();
}

absl::Status check_names(const Net& net) {
  std::unordered_set<std::string> names;
  const auto check = [&names](const std::string& name) {
    if (name.empty()) return absl::InvalidArgumentError("a place or transition has no name");
    if (!names.insert(name).second)
      return absl::InvalidArgumentError("the name '" + name + "' is used twice");
    return absl::OkStatus();
  };
  for (const NetPlace& place : net.places) {
    if (const absl::Status status = check(place.name); !status.ok()) return status;
    if (place.tokens > kMostTokens) {
      return absl::InvalidArgumentError("place '" + place.name + "' starts with " +
                                        std::to_string(place.tokens) + " tokens; the most is " +
                                        std::to_string(kMostTokens));
    }
  }
  for (const NetTransition& transition : net.transitions) {
    if (const absl::Status status = check(transition.name); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// The arcs of a transition, in a form that can be compared.
using Effect = std::pair<std::vector<std::pair<std::uint32_t, std::uint32_t>>,
                         std::vector<std::pair<std::uint32_t, std::uint32_t>>>;

Effect effect_of(const NetTransition& transition, const std::vector<std::uint32_t>& image) {
  const auto mapped = [&image](const std::vector<Arc>& arcs) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> list;
    for (const Arc& arc : arcs) list.emplace_back(image[arc.place], arc.weight);
    std::sort(list.begin(), list.end());
    return list;
  };
  return {mapped(transition.pre), mapped(transition.post)};
}

std::vector<std::uint32_t> identity(std::size_t size) {
  std::vector<std::uint32_t> image(size);
  std::iota(image.begin(), image.end(), 0U);
  return image;
}

bool keeps_markings(const Net& net, const std::vector<std::uint32_t>& image) {
  std::vector<std::uint32_t> wanted(net.places.size());
  for (const Arc& arc : net.final_tokens) wanted[arc.place] = arc.weight;
  for (std::size_t p = 0; p < image.size(); ++p) {
    if (net.places[p].tokens != net.places[image[p]].tokens) return false;
    if (wanted[p] != wanted[image[p]]) return false;
  }
  return std::all_of(
      net.properties.begin(), net.properties.end(), [&image](const SafetyProperty& property) {
        const std::set<std::uint32_t> places(property.places.begin(), property.places.end());
        return std::all_of(places.begin(), places.end(),
                           [&](std::uint32_t p) { return places.contains(image[p]); });
      });
}

std::string label_with(const std::string& owner, const std::string& label) {
  return owner.empty() ? label : absl::StrCat(owner, " ", label);
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
  return std::all_of(transition.pre.begin(), transition.pre.end(),
                     [&marking](const Arc& arc) { return marking[arc.place] >= arc.weight; });
}

void fire(const NetTransition& transition, Marking& marking) {
  for (const Arc& arc : transition.pre) marking[arc.place] -= arc.weight;
  for (const Arc& arc : transition.post) marking[arc.place] += arc.weight;
}

std::string full_label(const NetPlace& place) {
  return label_with(place.owner, place.label.empty() ? place.name : place.label);
}

std::string full_label(const NetTransition& transition) {
  return label_with(transition.owner,
                    transition.label.empty() ? transition.name : transition.label);
}

std::string thread_name(std::uint32_t thread) {
  return absl::StrCat("thread ", thread);
}

void set_full_label(const std::string& text, std::string& owner, std::string& label) {
  const std::size_t end = text.starts_with("thread ")    ? text.find(' ', 7)
                          : text.starts_with("process ") ? text.find(' ', 8)
                                                         : std::string::npos;
  owner = end == std::string::npos ? "" : text.substr(0, end);
  label = owner.empty() ? text : text.substr(end + 1);
}

std::optional<std::vector<std::uint32_t>> exchanged(const Net& net, const Symmetry& symmetry,
                                                    std::size_t left) {
  const std::vector<std::uint32_t>& a = symmetry.components[left];
  const std::vector<std::uint32_t>& b = symmetry.components[left + 1];
  if (a.size() != b.size()) return std::nullopt;
  std::vector<std::uint32_t> image = identity(net.places.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    image[a[i]] = b[i];
    image[b[i]] = a[i];
  }
  if (!keeps_markings(net, image)) return std::nullopt;

  // Transitions with the same arcs are matched in the order of their numbers.
  const std::vector<std::uint32_t> same = identity(net.places.size());
  std::map<Effect, std::vector<std::uint32_t>> by_effect;
  for (std::uint32_t t = 0; t < net.transitions.size(); ++t) {
    by_effect[effect_of(net.transitions[t], same)].push_back(t);
  }
  std::map<Effect, std::size_t> used;
  std::vector<std::uint32_t> images;
  for (const NetTransition& transition : net.transitions) {
    const Effect effect = effect_of(transition, image);
    const auto found = by_effect.find(effect);
    if (found == by_effect.end() || used[effect] == found->second.size()) return std::nullopt;
    images.push_back(found->second[used[effect]++]);
  }
  return images;
}

absl::Status validate(const Net& net) {
  if (const absl::Status status = check_names(net); !status.ok()) return status;
  for (const NetTransition& transition : net.transitions) {
    for (const std::vector<Arc>* arcs : {&transition.pre, &transition.post}) {
      if (const absl::Status status = check_arcs(net, transition, *arcs); !status.ok()) {
        return status;
      }
    }
  }
  for (const Symmetry& symmetry : net.symmetries) {
    for (std::size_t left = 0; left + 1 < symmetry.components.size(); ++left) {
      if (!exchanged(net, symmetry, left)) {
        return absl::InvalidArgumentError(
            "net '" + net.name + "': components " + std::to_string(left) + " and " +
            std::to_string(left + 1) + " cannot be exchanged without changing it");
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace lockbench
