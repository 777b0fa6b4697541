// SPDX-License-Identifier: Apache-2.0

// Nearest name: the known name that a misspelt one most likely means.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <absl/status/status.h>

namespace lockbench {

// The number of edits that turn `b` into `a`: insertions, deletions, substitutions and swaps of two
// neighbouring letters, where no letter is edited twice (optimal string alignment, after F. J.
// Damerau, "A technique for computer detection and correction of spelling errors", 1964). O(|a| ·
// |b|).
std::size_t edit_distance(std::string_view a, std::string_view b);

// The name closest to `typed`, ignoring case, if it is close enough: at most one edit and one more
// for every five letters. Otherwise the only name that `typed` abbreviates. If several names are
// equally close, the first one.
std::optional<std::string> nearest(std::string_view typed, std::span<const std::string> names);

// `unknown primitive 'stripped'; did you mean 'striped'?`, or, if no name is close, `unknown
// primitive 'x'; there are: global, keyed`. Of more than kMostNamesListed names, it lists the
// nearest ones, and `how_to_list` if that is not empty: `unknown lock 'x'; the nearest of 214:
// futex, mcs; `lockbench stress --list` shows all`. An InvalidArgument status.
inline constexpr std::size_t kMostNamesListed = 48;
absl::Status unknown_name(std::string_view kind, std::string_view typed,
                          std::span<const std::string> names, std::string_view how_to_list = "");

}  // namespace lockbench
