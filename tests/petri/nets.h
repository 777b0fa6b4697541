// SPDX-License-Identifier: Apache-2.0

// Small nets to test with.
#pragma once

#include "harness/petri/model.h"
#include "harness/petri/net.h"

namespace lockbench {

// One token goes from `from` to `to`.
inline NetTransition moves(const std::string& name, std::uint32_t from, std::uint32_t to) {
  return {.name = name, .event = name, .takes = {{from}}, .gives = {{to}}};
}

// Two threads, two locks, opposite orders: places 0-2 of the first, 3-5 of the second, 6 and 7 the
// locks.
inline Net crossed() {
  Net net = {.name = "crossed"};
  for (const char* name : {"x0", "x1", "x2", "y0", "y1", "y2", "a", "b"}) {
    net.places.push_back({.name = name});
  }
  for (const std::uint32_t marked : {0U, 3U, 6U, 7U}) net.places[marked].tokens = 1;
  net.transitions = {{.name = "x_a", .event = "x_a", .takes = {{0}, {6}}, .gives = {{1}}},
                     {.name = "x_b", .event = "x_b", .takes = {{1}, {7}}, .gives = {{2}}},
                     {.name = "x_out", .event = "x_out", .takes = {{2}}, .gives = {{0}, {6}, {7}}},
                     {.name = "y_b", .event = "y_b", .takes = {{3}, {7}}, .gives = {{4}}},
                     {.name = "y_a", .event = "y_a", .takes = {{4}, {6}}, .gives = {{5}}},
                     {.name = "y_out", .event = "y_out", .takes = {{5}}, .gives = {{3}, {6}, {7}}}};
  return net;
}

inline Net model(const ModelSpec& spec) {
  return build_model(spec).value();
}

}  // namespace lockbench
