// SPDX-License-Identifier: Apache-2.0

// Film: a firing sequence, marking by marking.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/petri/drawing.h"
#include "harness/petri/net.h"

namespace lockbench {

// One self-contained HTML page, stepped with the arrow keys or by clicking a step; it fetches
// nothing.
std::string film_of(const Net& net, const Layout& layout, const std::vector<std::uint32_t>& steps,
                    const std::string& caption);

// The same as one SVG document, for paper: a frame for each marking, `columns` side by side, in
// each the transition that led there in red.
std::string strip_of(const Net& net, const Layout& layout, const std::vector<std::uint32_t>& steps,
                     std::size_t columns);

}  // namespace lockbench
