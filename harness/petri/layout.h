// SPDX-License-Identifier: Apache-2.0

// Layout: where the parts of a drawn net go, as Graphviz's `dot` says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/petri/net.h"

namespace lockbench {

// In points, from the upper left corner.
struct Point {
  double x = 0;
  double y = 0;
};

struct Spot {
  Point centre;
  double width = 0;
  double height = 0;
};

// A chain of cubic Bézier curves: 1 + 3n points.
struct Curve {
  bool from_place = true;
  std::uint32_t place = 0;
  std::uint32_t transition = 0;
  std::vector<Point> points;
};

struct Layout {
  double width = 0;
  double height = 0;
  std::vector<Spot> places;       // by index
  std::vector<Spot> transitions;  // by index
  std::vector<Curve> arcs;
};

// Nets of more nodes are drawn by nobody's eyes, and take dot minutes.
inline constexpr std::size_t kMostDrawnNodes = 400;

// What `dot -Tplain` is to be given.
std::string dot_of(const Net& net);

// Reads what `dot -Tplain` answers. Internal when it is not about this net.
absl::StatusOr<Layout> parse_layout(const Net& net, const std::string& plain);

}  // namespace lockbench
