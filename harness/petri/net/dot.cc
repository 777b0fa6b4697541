// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/net/dot.h"

#include <map>
#include <vector>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_replace.h>
#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>

namespace lockbench {
namespace {

constexpr std::size_t kLineLetters = 16;
constexpr std::uint32_t kMostDots = 4;

const char kStyle[] =
    "  rankdir=LR; nodesep=0.12; ranksep=0.32; newrank=true;\n"
    "  graph [fontname=\"DejaVu Sans\", fontsize=10, fontcolor=\"#5f6c7b\"];\n"
    "  node [fontname=\"DejaVu Sans\", fontsize=10, width=0, height=0, fillcolor=\"#ffffff\"];\n"
    "  edge [fontname=\"DejaVu Sans\", fontsize=10, arrowsize=0.6, color=\"#8a94a0\"];\n";

// Breaks the label into lines of about kLineLetters.
std::string wrapped(const std::string& label) {
  std::vector<std::string> lines;
  for (const absl::string_view word : absl::StrSplit(label, ' ', absl::SkipEmpty())) {
    if (lines.empty() || lines.back().size() + 1 + word.size() > kLineLetters) {
      lines.emplace_back(word);
    } else {
      absl::StrAppend(&lines.back(), " ", word);
    }
  }
  for (std::string& line : lines)
    line = absl::StrReplaceAll(line, {{"\\", "\\\\"}, {"\"", "\\\""}});
  return absl::StrJoin(lines, "\\n");
}

template <class Node>
std::string label_of(const Node& node) {
  return wrapped(node.label.empty() ? node.name : node.label);
}

std::string place_node(const NetPlace& place, std::size_t index, std::uint32_t tokens) {
  return absl::StrCat("  p", index, " [id=p", index,
                      ", shape=ellipse, style=filled, margin=\"0.01,0.01\", label=\"",
                      tokens_text(tokens), "\\n", label_of(place), "\"];\n");
}

std::string transition_node(const NetTransition& transition, std::size_t index) {
  return absl::StrCat("  t", index, " [id=t", index,
                      ", shape=box, margin=\"0.06,0.04\", style=\"filled,rounded",
                      transition.event ? "\", fillcolor=\"#e4e9f0\"" : ",dashed\"", ", label=\"",
                      label_of(transition), "\"];\n");
}

std::string edge(const std::string& tail, const std::string& head, std::size_t transition,
                 const std::string& direction, const std::string& label) {
  return absl::StrCat("  ", tail, " -> ", head, " [class=t", transition, direction,
                      label.empty() ? "" : absl::StrCat(", label=\"", label, "\""), "];\n");
}

std::string weight_text(std::uint32_t weight) {
  return weight == 1 ? "" : std::to_string(weight);
}

std::string edges_of(const Net& net, std::size_t t) {
  const NetTransition& transition = net.transitions[t];
  const std::string node = absl::StrCat("t", t);
  std::string text;
  for (const Arc& arc : transition.pre) {
    const std::string place = absl::StrCat("p", arc.place);
    const std::uint32_t back = weight_of(transition.post, arc.place);
    if (back == 0) {
      text += edge(place, node, t, "", weight_text(arc.weight));
    } else {  // one edge with two heads
      const bool plain = arc.weight == 1 && back == 1;
      text += edge(place, node, t, ", dir=both",
                   plain ? "" : absl::StrCat("−", arc.weight, " +", back));
    }
  }
  for (const Arc& arc : transition.post) {
    if (weight_of(transition.pre, arc.place) != 0) continue;
    const std::string place = absl::StrCat("p", arc.place);
    // An arc back to a place that is marked at the start is laid out in the opposite direction, so
    // that graphviz finds no cycle there and puts the start of a thread on the left.
    const bool is_start = net.places[arc.place].tokens != 0;
    text += is_start ? edge(place, node, t, ", dir=back", weight_text(arc.weight))
                     : edge(node, place, t, "", weight_text(arc.weight));
  }
  return text;
}

}  // namespace

std::string tokens_text(std::uint32_t tokens) {
  if (tokens > kMostDots) return std::to_string(tokens);
  std::string dots;
  for (std::uint32_t i = 0; i < tokens; ++i) dots += "●";
  return dots.empty() ? "\u00a0" : dots;
}

std::string dot_of(const Net& net, const Marking& marking) {
  std::map<std::string, std::string> clusters;  // by owner
  for (std::size_t p = 0; p < net.places.size(); ++p) {
    clusters[net.places[p].owner] += place_node(net.places[p], p, marking[p]);
  }
  for (std::size_t t = 0; t < net.transitions.size(); ++t) {
    clusters[net.transitions[t].owner] += transition_node(net.transitions[t], t);
  }
  std::string text = absl::StrCat("digraph net {\n", kStyle);
  std::size_t number = 0;
  for (const auto& [owner, nodes] : clusters) {
    text += owner.empty()
                ? nodes
                : absl::StrCat("  subgraph cluster_", number++,
                               " {\n  margin=10; style=\"filled,rounded\"; color=\"#f2f5f9\"; "
                               "labeljust=l; label=\"",
                               owner, "\";\n", nodes, "  }\n");
  }
  for (std::size_t t = 0; t < net.transitions.size(); ++t) text += edges_of(net, t);
  return text + "}\n";
}

}  // namespace lockbench
