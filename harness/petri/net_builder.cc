// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/net_builder.h"

#include <algorithm>

namespace lockbench {
namespace {

// Arcs to one place become one arc, and what weighs nothing is left out.
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
std::string subject(std::uint32_t t) {
  return "thread " + std::to_string(t + 1) + " ";
}

}  // namespace

NetBuilder::NetBuilder(std::string name, std::uint32_t threads) : columns_(threads) {
  net_.name = std::move(name);
}

std::uint32_t NetBuilder::shared(const std::string& name, const std::string& says,
                                 std::uint32_t tokens) {
  net_.places.push_back({.name = name, .says = says, .tokens = tokens});
  return static_cast<std::uint32_t>(net_.places.size() - 1);
}

std::uint32_t NetBuilder::own(std::uint32_t t, const std::string& name, const std::string& says,
                              std::uint32_t tokens) {
  const std::uint32_t place = shared(prefix(t) + name, subject(t) + says, tokens);
  columns_[t].push_back(place);
  return place;
}

void NetBuilder::step(std::uint32_t t, const std::string& name, const std::string& says,
                      const std::string& event, const std::vector<Arc>& takes,
                      const std::vector<Arc>& gives) {
  net_.transitions.push_back({.name = prefix(t) + name,
                              .says = subject(t) + says,
                              .event = event.empty() ? "" : subject(t) + event,
                              .takes = merged(takes),
                              .gives = merged(gives)});
}

void NetBuilder::claim(const std::string& says, const std::vector<std::uint32_t>& places,
                       std::uint32_t most) {
  net_.claims.push_back({.says = says, .places = places, .most = most});
}

void NetBuilder::alike(const std::vector<std::uint32_t>& threads) {
  if (threads.size() < 2) return;
  Symmetry symmetry;
  for (const std::uint32_t t : threads) symmetry.columns.push_back(columns_[t]);
  net_.symmetries.push_back(std::move(symmetry));
}

}  // namespace lockbench
