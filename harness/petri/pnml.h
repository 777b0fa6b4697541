// SPDX-License-Identifier: Apache-2.0

// PNML: place/transition nets in the interchange format of ISO/IEC 15909-2.
//
// What the standard has no words for (unseen steps, symmetries, what is wanted or claimed) is
// either in `toolspecific` elements, which other tools skip, or left out: symmetries and claims
// are.
//
// Read are initial markings, arc weights, names, reference nodes and pages, and the final markings
// that process miners write. Refused are other kinds of net, inhibitor and reset arcs, and
// documents that declare entities.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>

#include <absl/status/statusor.h>

#include "harness/petri/net.h"

namespace lockbench {

// Beyond these a document is refused at the line where it goes beyond.
inline constexpr std::size_t kMostPlaces = 10'000;
inline constexpr std::size_t kMostTransitions = 100'000;
inline constexpr std::size_t kMostArcs = 200'000;
inline constexpr std::size_t kMostBytesOfNames = 16U << 20;  // of ids and names together

// InvalidArgument: `name:line: what is wrong, and what would be right`. Reads no further than the
// first thing wrong; needs memory for the net and one tag.
absl::StatusOr<Net> read_pnml(std::istream& in, const std::string& name);

std::string pnml_of(const Net& net);

}  // namespace lockbench
