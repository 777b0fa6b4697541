// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/layout.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <sstream>
#include <utility>

#include "harness/petri/labels.h"

namespace lockbench {
namespace {

using internal::kLineHeight;
using internal::kPlaceRadius;
using internal::label_of;
using internal::owner_of;
using internal::text_width;

constexpr double kPointsPerInch = 72;
constexpr double kMargin = 12;

Spot place_size(const NetPlace& place) {
  const auto lines = label_of(words_of(place));
  return {.width = std::max(2 * kPlaceRadius, text_width(lines)) + 4,
          .height = 2 * (kPlaceRadius + kLineHeight * static_cast<double>(lines.size())) + 4};
}

Spot transition_size(const NetTransition& transition) {
  const auto lines = label_of(words_of(transition));
  return {.width = text_width(lines) + 12,
          .height = kLineHeight * static_cast<double>(lines.size()) + 8};
}

std::string inches(double points) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", points / kPointsPerInch);
  return text;
}

std::string node_line(const std::string& id, const Spot& size) {
  return "  " + id + " [width=" + inches(size.width) + ", height=" + inches(size.height) + "];\n";
}

std::string edges_of(const Net& net) {
  std::string text;
  for (std::uint32_t t = 0; t < net.transitions.size(); ++t) {
    const NetTransition& transition = net.transitions[t];
    const std::string name = "t" + std::to_string(t);
    for (const Arc& arc : transition.takes) {
      text += "  p" + std::to_string(arc.place) + " -> " + name + ";\n";
    }
    for (const Arc& arc : transition.gives) {
      if (weight_of(transition.takes, arc.place) != 0) continue;  // one arc, with two arrowheads
      const std::string place = "p" + std::to_string(arc.place);
      // What comes back to where it began is laid out the other way round: no cycle is left to be
      // opened at a place of dot's own choice, and a thread's course begins on the left.
      text += "  " +
              (net.places[arc.place].tokens != 0 ? place + " -> " + name : name + " -> " + place) +
              ";\n";
    }
  }
  return text;
}

// A number of nodes in `p12` or `t3`; false when it is neither.
bool read_node(const std::string& name, bool& is_place, std::uint32_t& index, const Net& net) {
  if (name.size() < 2 || (name[0] != 'p' && name[0] != 't')) return false;
  is_place = name[0] == 'p';
  if (!std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; })) {
    return false;
  }
  const unsigned long value = std::stoul(name.substr(1));
  index = static_cast<std::uint32_t>(value);
  return value < (is_place ? net.places.size() : net.transitions.size());
}

class LayoutReader {
 public:
  LayoutReader(const Net& net, Layout& layout) : net_(net), layout_(layout) {
    layout.places.resize(net.places.size());
    layout.transitions.resize(net.transitions.size());
  }

  // One line of `dot -Tplain`.
  bool read(const std::string& text) {
    std::istringstream words(text);
    std::string kind;
    words >> kind;
    if (kind == "graph") return read_graph(words);
    if (kind == "node") return read_spot(words);
    if (kind == "edge") return read_edge(words);
    return kind == "stop" || kind.empty();
  }

 private:
  Point point(double x, double y) const {
    return {x * kPointsPerInch + kMargin, layout_.height - kMargin - y * kPointsPerInch};
  }

  bool read_graph(std::istringstream& words) {
    double scale = 0;
    double width = 0;
    double height = 0;
    words >> scale >> width >> height;
    layout_.width = width * kPointsPerInch + 2 * kMargin;
    layout_.height = height * kPointsPerInch + 2 * kMargin;
    return !words.fail();
  }

  bool read_spot(std::istringstream& words) {
    std::string name;
    double x = 0;
    double y = 0;
    double width = 0;
    double height = 0;
    bool is_place = false;
    std::uint32_t index = 0;
    words >> name >> x >> y >> width >> height;
    if (words.fail() || !read_node(name, is_place, index, net_)) return false;
    (is_place ? layout_.places : layout_.transitions)[index] = {
        .centre = point(x, y), .width = width * kPointsPerInch, .height = height * kPointsPerInch};
    return true;
  }

  bool read_edge(std::istringstream& words) {
    std::string tail;
    std::string head;
    std::size_t count = 0;
    words >> tail >> head >> count;
    Curve curve;
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    bool head_is_place = false;
    if (words.fail() || !read_node(tail, curve.from_place, from, net_) ||
        !read_node(head, head_is_place, to, net_) || head_is_place == curve.from_place) {
      return false;
    }
    curve.place = curve.from_place ? from : to;
    curve.transition = curve.from_place ? to : from;
    for (std::size_t i = 0; i < count; ++i) {
      double x = 0;
      double y = 0;
      words >> x >> y;
      if (words.fail()) return false;
      curve.points.push_back(point(x, y));
    }
    turn_round_if_given_back(curve);
    layout_.arcs.push_back(std::move(curve));
    return count >= 4;
  }

  // See edges_of().
  void turn_round_if_given_back(Curve& curve) const {
    const NetTransition& transition = net_.transitions[curve.transition];
    if (!curve.from_place || weight_of(transition.takes, curve.place) != 0) return;
    curve.from_place = false;
    std::reverse(curve.points.begin(), curve.points.end());
  }

  const Net& net_;
  Layout& layout_;
};

}  // namespace

std::string dot_of(const Net& net) {
  std::map<std::string, std::string> groups;
  for (std::size_t p = 0; p < net.places.size(); ++p) {
    groups[owner_of(words_of(net.places[p]))] +=
        node_line("p" + std::to_string(p), place_size(net.places[p]));
  }
  for (std::size_t t = 0; t < net.transitions.size(); ++t) {
    groups[owner_of(words_of(net.transitions[t]))] +=
        node_line("t" + std::to_string(t), transition_size(net.transitions[t]));
  }
  std::string text =
      "digraph net {\n  rankdir=LR; nodesep=0.12; ranksep=0.32; newrank=true;\n"
      "  node [shape=box, fixedsize=true, label=\"\"];\n"
      "  edge [arrowhead=none];\n";
  std::size_t clusters = 0;
  for (const auto& [owner, nodes] : groups) {
    text += owner.empty() ? nodes
                          : "  subgraph cluster_" + std::to_string(clusters++) + " { margin=14;\n" +
                                nodes + "  }\n";
  }
  return text + edges_of(net) + "}\n";
}

absl::StatusOr<Layout> parse_layout(const Net& net, const std::string& plain) {
  Layout layout;
  LayoutReader reader(net, layout);
  std::istringstream lines(plain);
  for (std::string text; std::getline(lines, text);) {
    if (!reader.read(text)) return absl::InternalError("dot answered '" + text + "'");
  }
  if (layout.width == 0) return absl::InternalError("dot answered nothing");
  return layout;
}

}  // namespace lockbench
