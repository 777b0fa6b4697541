// SPDX-License-Identifier: Apache-2.0

// PNML: place/transition nets in the interchange format of ISO/IEC 15909-2.
//
// Events and final markings, which the standard does not have, are in `toolspecific` elements,
// which other tools skip. Symmetries and properties are not exported.
//
// The reader accepts initial markings, arc weights, names, reference nodes and pages, and the final
// markings that process miners write. It refuses other kinds of nets, inhibitor and reset arcs, and
// documents that declare entities.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>

#include <absl/status/statusor.h>

#include "harness/petri/net/net.h"

namespace lockbench {

// A document that exceeds one of these is refused, with the line.
inline constexpr std::size_t kMostPlaces = 10'000;
inline constexpr std::size_t kMostTransitions = 100'000;
inline constexpr std::size_t kMostArcs = 200'000;
inline constexpr std::size_t kMostBytesOfNames = 16U << 20;  // of ids and names together

// InvalidArgument: `name:line: what is wrong, and what would be right`. Reads no further than the
// first error, and needs memory for the net and one tag.
absl::StatusOr<Net> read_pnml(std::istream& in, const std::string& name);

std::string pnml_of(const Net& net);

}  // namespace lockbench
