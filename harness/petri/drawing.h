// SPDX-License-Identifier: Apache-2.0

// Drawing: a net as a picture. layout.h says where things go; what they look like is said here, so
// that a marking can be drawn again and again in one layout.
//
// Circles are places, boxes are transitions, dots are tokens; what belongs to one thread stands on
// a band.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/petri/layout.h"
#include "harness/petri/net.h"

namespace lockbench {

// An SVG document. The transition that just fired is red, with its arcs. Each place has an empty
// or filled group `<g class="tokens" data-place="…" transform="…">`.
std::string svg_of(const Net& net, const Layout& layout, const Marking& marking,
                   std::optional<std::uint32_t> fired = std::nullopt);

// Text for XML and HTML.
std::string markup_escaped(const std::string& text);

}  // namespace lockbench
