// SPDX-License-Identifier: Apache-2.0

// The environment of a program that this process starts.
#pragma once

#include <string>
#include <vector>

namespace lockbench {

// This process's own, as NAME=VALUE, with `more` in addition to it or in its place.
std::vector<std::string> environment_with(const std::vector<std::string>& more);

}  // namespace lockbench
