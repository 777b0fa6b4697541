// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/net/net_builder.h"

#include <algorithm>

namespace lockbench {
namespace {

// Joins arcs to the same place and leaves out arcs of weight 0.
std::vector<Arc> merged(const std::vector<Arc>& arcs) {
  std::vector<Arc> out;
  for (const Arc& arc : arcs) {
    if (arc.weight == 0) continue;
    const auto same = std::find_if(out.begin(), out.end(),
                                   [&arc](const Arc& other) { return other.place == arc.place; });
    if (same == out.end()) {
      out.push_back(arc);
    } else {
      same->weight += arc.weight;
    }
  }
  return out;
}

std::string prefix(std::uint32_t t) {
  return "t" + std::to_string(t + 1) + "_";
}

}  // namespace

NetBuilder::NetBuilder(std::string name, std::uint32_t threads) : components_(threads) {
  net_.name = std::move(name);
}

std::uint32_t NetBuilder::add_shared(const std::string& name, const std::string& label,
                                     std::uint32_t tokens) {
  net_.places.push_back({.name = name, .label = label, .tokens = tokens});
  return static_cast<std::uint32_t>(net_.places.size() - 1);
}

std::uint32_t NetBuilder::add_absence(const std::string& name, const std::string& label,
                                      std::uint32_t tokens) {
  const std::uint32_t place = add_shared(name, label, tokens);
  net_.places[place].absence = true;
  return place;
}

std::uint32_t NetBuilder::add_own(std::uint32_t t, const std::string& name,
                                  const std::string& label, std::uint32_t tokens) {
  const std::uint32_t place = add_shared(prefix(t) + name, label, tokens);
  net_.places[place].owner = thread_name(t + 1);
  components_[t].push_back(place);
  return place;
}

void NetBuilder::add_step(std::uint32_t t, const std::string& name, const std::string& label,
                          std::optional<NetEvent> event, const std::vector<Arc>& pre,
                          const std::vector<Arc>& post) {
  if (event) event->thread = t + 1;
  net_.transitions.push_back({.name = prefix(t) + name,
                              .label = label,
                              .owner = thread_name(t + 1),
                              .event = std::move(event),
                              .pre = merged(pre),
                              .post = merged(post)});
}

void NetBuilder::add_property(const std::string& text, const std::vector<std::uint32_t>& places,
                              std::uint32_t most) {
  net_.properties.push_back({.text = text, .places = places, .most = most});
}

void NetBuilder::declare_symmetric(const std::vector<std::uint32_t>& threads) {
  if (threads.size() < 2) return;
  Symmetry symmetry;
  for (const std::uint32_t t : threads) symmetry.components.push_back(components_[t]);
  net_.symmetries.push_back(std::move(symmetry));
}

}  // namespace lockbench
