// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/drawing.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <vector>

#include "harness/petri/labels.h"

namespace lockbench {
namespace {

using internal::kLineHeight;
using internal::kPlaceRadius;
using internal::label_of;
using internal::owner_of;

constexpr double kBandMargin = 10;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

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
         number(kPlaceRadius) + "\"/>" +
         text_lines(label_of(words_of(place)), {c.x, c.y + kPlaceRadius + 11}, "label") +
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
  return {centre.x + dx / far * (kPlaceRadius + 1), centre.y + dy / far * (kPlaceRadius + 1)};
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
  const std::uint32_t takes = weight_of(transition.takes, place);
  const std::uint32_t gives = weight_of(transition.gives, place);
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
  const bool both = curve.from_place && weight_of(transition.gives, curve.place) != 0;
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
