// SPDX-License-Identifier: Apache-2.0

// Small nets for tests.
#pragma once

#include <string>
#include <vector>

#include "harness/petri/net/model.h"
#include "harness/petri/net/net.h"

namespace lockbench {

// Moves a token from `from` to `to`.
inline NetTransition moves(const std::string& name, std::uint32_t from, std::uint32_t to) {
  return {.name = name, .event = parse_event(name), .pre = {{from}}, .post = {{to}}};
}

// Two threads acquire two locks in opposite orders. Places 0 to 2 are of the first thread, 3 to 5
// of the second, 6 and 7 are the locks.
inline Net crossed() {
  Net net = {.name = "crossed"};
  for (const char* name : {"x0", "x1", "x2", "y0", "y1", "y2", "a", "b"}) {
    net.places.push_back({.name = name});
  }
  for (const std::uint32_t marked : {0U, 3U, 6U, 7U}) net.places[marked].tokens = 1;
  net.transitions = {
      {.name = "x_a", .event = parse_event("x_a"), .pre = {{0}, {6}}, .post = {{1}}},
      {.name = "x_b", .event = parse_event("x_b"), .pre = {{1}, {7}}, .post = {{2}}},
      {.name = "x_out", .event = parse_event("x_out"), .pre = {{2}}, .post = {{0}, {6}, {7}}},
      {.name = "y_b", .event = parse_event("y_b"), .pre = {{3}, {7}}, .post = {{4}}},
      {.name = "y_a", .event = parse_event("y_a"), .pre = {{4}, {6}}, .post = {{5}}},
      {.name = "y_out", .event = parse_event("y_out"), .pre = {{5}}, .post = {{3}, {6}, {7}}}};
  return net;
}

inline std::vector<NetEvent> parse_events(const std::vector<std::string>& texts) {
  std::vector<NetEvent> events;
  for (const std::string& text : texts) events.push_back(parse_event(text));
  return events;
}

inline Net model(const ModelSpec& spec) {
  return build_model(spec).value();
}

}  // namespace lockbench
