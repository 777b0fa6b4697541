// SPDX-License-Identifier: Apache-2.0

// DOT: a net as a graph for graphviz, which draws it.
//
//   lockbench model keyed --dot keyed.dot && dot -Tsvg -O keyed.dot
//
// Ellipses are places, with their tokens in the first line. Boxes are transitions; dashed boxes are
// silent. Each thread is a cluster. In SVG, place i has the id `p<i>`, transition i the id `t<i>`,
// and its arcs the class `t<i>`.
#pragma once

#include <string>

#include "harness/petri/net/net.h"

namespace lockbench {

std::string dot_of(const Net& net, const Marking& marking);

// The first line of a place: a dot per token, or their number. Never empty.
std::string tokens_text(std::uint32_t tokens);

}  // namespace lockbench
