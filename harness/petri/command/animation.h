// SPDX-License-Identifier: Apache-2.0

// Animation: a firing sequence as a page to step through, or as a strip of pictures. This program
// writes the net and the sequence as JSON; harness/petri/python/animation.py makes the document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "harness/petri/net/net.h"

namespace lockbench {

struct Animation {
  std::vector<std::uint32_t> steps;  // a firing sequence
  std::string caption;
};

// Larger nets are unreadable, and graphviz takes minutes for their layout.
inline constexpr std::size_t kMostAnimatedNodes = 400;

// The fields are name, caption and the net as DOT; for each marking, the label and the index of the
// transition that led to it, and the displayed tokens of each place.
std::string animation_json(const Net& net, const Animation& animation);

// Writes a page; a strip if the file ends in `.svg`; the JSON if it ends in `.json`. Unavailable if
// Python, its modules, graphviz or the file is missing or fails; InvalidArgument if the net is too
// large.
absl::Status write_animation(const Net& net, const Animation& animation,
                             const std::filesystem::path& file);

}  // namespace lockbench
