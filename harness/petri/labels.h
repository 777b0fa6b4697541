// SPDX-License-Identifier: Apache-2.0

// Labels: what is written at the nodes of a drawn net, and how much room that takes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lockbench::internal {

// In points.
inline constexpr double kPlaceRadius = 14;
inline constexpr double kLineHeight = 12;

// "thread 1" or "process 1", of what is its; else empty.
std::string owner_of(const std::string& words);

// The words beside a node, without the thread that its band names, in lines.
std::vector<std::string> label_of(const std::string& words);

double text_width(const std::vector<std::string>& lines);

}  // namespace lockbench::internal
