// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/drawing.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <sstream>

namespace lockbench {
namespace {

constexpr double kPointsPerInch = 72;
constexpr double kRadius = 14;  // of a place
constexpr double kFontSize = 10;
constexpr double kLetter = 5.3;  // width of an average letter at that size
constexpr double kLineHeight = 12;
constexpr double kMargin = 12;
constexpr double kBandMargin = 10;
constexpr std::size_t kWrapAt = 15;  // letters a line

// "thread 1" or "process 1", of what is its; else empty.
std::string owner_of(const std::string& words) {
  for (const std::string kind : {"thread ", "process "}) {
    if (!words.starts_with(kind)) continue;
    const std::size_t end = words.find(' ', kind.size());
    return end == std::string::npos ? "" : words.substr(0, end);
  }
  return "";
}

std::vector<std::string> wrapped(const std::string& words) {
  std::vector<std::string> lines;
  std::istringstream in(words);
  for (std::string word; in >> word;) {
    if (lines.empty() || lines.back().size() + 1 + word.size() > kWrapAt) {
      lines.push_back(word);
    } else {
      lines.back() += " " + word;
    }
  }
  return lines;
}

// The words beside a node, without the thread that its band names.
std::vector<std::string> label_of(const std::string& words) {
  const std::string owner = owner_of(words);
  return wrapped(owner.empty() ? words : words.substr(owner.size() + 1));
}

double text_width(const std::vector<std::string>& lines) {
  std::size_t longest = 0;
  for (const std::string& text : lines) longest = std::max(longest, text.size());
  return static_cast<double>(longest) * kLetter;
}

Spot place_size(const NetPlace& place) {
  const auto lines = label_of(words_of(place));
  return {.width = std::max(2 * kRadius, text_width(lines)) + 4,
          .height = 2 * (kRadius + kLineHeight * static_cast<double>(lines.size())) + 4};
}

Spot transition_size(const NetTransition& transition) {
  const auto lines = label_of(words_of(transition));
  return {.width = text_width(lines) + 12,
          .height = kLineHeight * static_cast<double>(lines.size()) + 8};
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string inches(double points) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", points / kPointsPerInch);
  return text;
}

std::string node_line(const std::string& id, const Spot& size) {
  return "  " + id + " [width=" + inches(size.width) + ", height=" + inches(size.height) + "];\n";
}

std::uint32_t weight_to(const std::vector<Arc>& arcs, std::uint32_t place) {
  for (const Arc& arc : arcs) {
    if (arc.place == place) return arc.weight;
  }
  return 0;
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
      if (weight_to(transition.takes, arc.place) != 0) continue;  // one arc, with two arrowheads
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
    if (!curve.from_place || weight_to(transition.takes, curve.place) != 0) return;
    curve.from_place = false;
    std::reverse(curve.points.begin(), curve.points.end());
  }

  const Net& net_;
  Layout& layout_;
};

std::string text_lines(const std::vector<std::string>& lines, Point first, const char* kind) {
  std::string text;
  for (const std::string& words : lines) {
    text += "<text class=\"" + std::string(kind) + "\" x=\"" + number(first.x) + "\" y=\"" +
            number(first.y) + "\">" + markup_escaped(words) + "</text>";
    first.y += kLineHeight;
  }
  return text;
}

std::string dot(double x, double y) {
  return "<circle class=\"token\" cx=\"" + number(x) + "\" cy=\"" + number(y) + "\" r=\"3.4\"/>";
}

// About the origin.
std::string tokens(std::uint32_t count) {
  switch (count) {
    case 0:
      return "";
    case 1:
      return dot(0, 0);
    case 2:
      return dot(-5, 0) + dot(5, 0);
    case 3:
      return dot(-5, 4) + dot(5, 4) + dot(0, -5);
    case 4:
      return dot(-5, -5) + dot(5, -5) + dot(-5, 5) + dot(5, 5);
    default:
      return "<text class=\"many\" x=\"0\" y=\"4\">" + std::to_string(count) + "</text>";
  }
}

std::string place_group(const NetPlace& place, const Spot& spot, std::uint32_t index,
                        std::uint32_t count) {
  const Point c = spot.centre;
  return "<g class=\"place\"><circle cx=\"" + number(c.x) + "\" cy=\"" + number(c.y) + "\" r=\"" +
         number(kRadius) + "\"/>" +
         text_lines(label_of(words_of(place)), {c.x, c.y + kRadius + 11}, "label") +
         "<g class=\"tokens\" data-place=\"" + std::to_string(index) + "\" transform=\"translate(" +
         number(c.x) + " " + number(c.y) + ")\">" + tokens(count) + "</g></g>\n";
}

std::string transition_group(const NetTransition& transition, const Spot& spot, std::uint32_t index,
                             bool fired) {
  const auto lines = label_of(words_of(transition));
  const Point c = spot.centre;
  const double first = c.y - kLineHeight * (static_cast<double>(lines.size()) - 1) / 2 + 3.5;
  return "<g class=\"transition" + std::string(transition.event.empty() ? " unseen" : "") +
         (fired ? " fired" : "") + "\" data-transition=\"" + std::to_string(index) +
         "\"><rect x=\"" + number(c.x - spot.width / 2) + "\" y=\"" +
         number(c.y - spot.height / 2) + "\" width=\"" + number(spot.width) + "\" height=\"" +
         number(spot.height) + "\" rx=\"3\"/>" + text_lines(lines, {c.x, first}, "deed") + "</g>\n";
}

// Where the way from `outside` to the middle of a place meets its circle.
Point on_circle(Point centre, Point outside) {
  const double dx = outside.x - centre.x;
  const double dy = outside.y - centre.y;
  const double far = std::max(std::hypot(dx, dy), 1e-6);
  return {centre.x + dx / far * (kRadius + 1), centre.y + dy / far * (kRadius + 1)};
}

std::string arrowhead(Point tip, Point behind) {
  const double dx = tip.x - behind.x;
  const double dy = tip.y - behind.y;
  const double far = std::max(std::hypot(dx, dy), 1e-6);
  const Point back = {tip.x - dx / far * 7, tip.y - dy / far * 7};
  const Point side = {-dy / far * 2.8, dx / far * 2.8};
  return "<path class=\"head\" d=\"M" + number(tip.x) + " " + number(tip.y) + " L" +
         number(back.x + side.x) + " " + number(back.y + side.y) + " L" + number(back.x - side.x) +
         " " + number(back.y - side.y) + " Z\"/>";
}

std::string weight_label(const NetTransition& transition, std::uint32_t place, Point at) {
  const std::uint32_t takes = weight_to(transition.takes, place);
  const std::uint32_t gives = weight_to(transition.gives, place);
  std::string text;
  if (takes != 0 && gives != 0) {
    if (takes != 1 || gives != 1) text = "−" + std::to_string(takes) + " +" + std::to_string(gives);
  } else if (std::max(takes, gives) != 1) {
    text = std::to_string(std::max(takes, gives));
  }
  if (text.empty()) return "";
  return "<text class=\"weight\" x=\"" + number(at.x) + "\" y=\"" + number(at.y - 3) + "\">" +
         text + "</text>";
}

std::string arc_group(const Net& net, const Layout& layout, const Curve& curve, bool fired) {
  const NetTransition& transition = net.transitions[curve.transition];
  std::vector<Point> line = curve.points;
  const Point centre = layout.places[curve.place].centre;
  const Point at_place = on_circle(centre, curve.from_place ? line.front() : line.back());
  // dot draws arcs to the box that holds circle and label: a straight piece leads on.
  const std::string lead = "M" + number(at_place.x) + " " + number(at_place.y) + " L";
  std::string path = curve.from_place ? lead : "M";
  path += number(line[0].x) + " " + number(line[0].y) + " C";
  for (std::size_t i = 1; i < line.size(); ++i) {
    path += " " + number(line[i].x) + " " + number(line[i].y);
  }
  if (!curve.from_place) path += " L" + number(at_place.x) + " " + number(at_place.y);
  const bool both = curve.from_place && weight_to(transition.gives, curve.place) != 0;
  std::string heads;
  if (curve.from_place) heads += arrowhead(line.back(), line[line.size() - 2]);
  if (!curve.from_place || both) {
    heads += arrowhead(at_place, curve.from_place ? line.front() : line.back());
  }
  return "<g class=\"arc" + std::string(fired ? " fired" : "") + "\" data-transition=\"" +
         std::to_string(curve.transition) + "\"><path class=\"line\" d=\"" + path + "\"/>" + heads +
         weight_label(transition, curve.place, line[line.size() / 2]) + "</g>\n";
}

struct Box {
  double left = 1e9;
  double top = 1e9;
  double right = -1e9;
  double bottom = -1e9;

  void add(const Spot& spot) {
    left = std::min(left, spot.centre.x - spot.width / 2);
    right = std::max(right, spot.centre.x + spot.width / 2);
    top = std::min(top, spot.centre.y - spot.height / 2);
    bottom = std::max(bottom, spot.centre.y + spot.height / 2);
  }
};

std::string bands(const Net& net, const Layout& layout) {
  std::map<std::string, Box> boxes;
  for (std::size_t p = 0; p < net.places.size(); ++p) {
    boxes[owner_of(words_of(net.places[p]))].add(layout.places[p]);
  }
  for (std::size_t t = 0; t < net.transitions.size(); ++t) {
    boxes[owner_of(words_of(net.transitions[t]))].add(layout.transitions[t]);
  }
  std::string text;
  for (const auto& [owner, box] : boxes) {
    if (owner.empty()) continue;
    text += "<rect class=\"band\" x=\"" + number(box.left - kBandMargin) + "\" y=\"" +
            number(box.top - kBandMargin) + "\" width=\"" +
            number(box.right - box.left + 2 * kBandMargin) + "\" height=\"" +
            number(box.bottom - box.top + 2 * kBandMargin) +
            "\" rx=\"8\"/><text class=\"owner\" x=\"" + number(box.left - 2) + "\" y=\"" +
            number(box.top + 4) + "\">" + owner + "</text>\n";
  }
  return text;
}

const char kStyle[] =
    "<style>text{font:10px 'DejaVu Sans',Verdana,sans-serif;fill:#222;text-anchor:middle}"
    ".paper{fill:#fff}.band{fill:#f2f5f9}.owner{font-weight:bold;fill:#7a8796;text-anchor:start}"
    ".place circle{fill:#fff;stroke:#222;stroke-width:1.2}.place .token{fill:#111;stroke:none}"
    ".many{font-weight:bold}"
    ".label,.weight{paint-order:stroke;stroke:#fffd;stroke-width:3px}.label{fill:#444}"
    ".transition rect{fill:#e4e9f0;stroke:#222;stroke-width:1.2}"
    ".transition.unseen rect{fill:#fff;stroke-dasharray:3 2}"
    ".arc .line{fill:none;stroke:#8a94a0;stroke-width:1}.arc .head{fill:#8a94a0}"
    ".weight{fill:#555;font-weight:bold}"
    ".fired rect{fill:#fbd5d0;stroke:#c62818;stroke-width:2}.fired .deed{fill:#a01c0e}"
    ".arc.fired .line{stroke:#c62818;stroke-width:2}.arc.fired .head{fill:#c62818}</style>\n";

}  // namespace

std::string markup_escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

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

std::string svg_of(const Net& net, const Layout& layout, const Marking& marking,
                   std::optional<std::uint32_t> fired) {
  const std::string size =
      "width=\"" + number(layout.width) + "\" height=\"" + number(layout.height) + "\"";
  std::string text = "<svg xmlns=\"http://www.w3.org/2000/svg\" " + size + " viewBox=\"0 0 " +
                     number(layout.width) + " " + number(layout.height) + "\" role=\"img\">\n" +
                     "<title>" + markup_escaped(net.name) + "</title>\n" + kStyle +
                     "<rect class=\"paper\" " + size + "/>\n" + bands(net, layout);
  for (const bool red : {false, true}) {  // what fired lies on top
    for (const Curve& curve : layout.arcs) {
      if ((fired == curve.transition) == red) text += arc_group(net, layout, curve, red);
    }
  }
  for (std::uint32_t t = 0; t < net.transitions.size(); ++t) {
    text += transition_group(net.transitions[t], layout.transitions[t], t, fired == t);
  }
  for (std::uint32_t p = 0; p < net.places.size(); ++p) {
    text += place_group(net.places[p], layout.places[p], p, marking[p]);
  }
  return text + "</svg>\n";
}

}  // namespace lockbench
