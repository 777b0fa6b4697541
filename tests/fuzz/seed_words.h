// SPDX-License-Identifier: Apache-2.0

// The words of seeds: what a dictionary of a target holds.
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "tests/fuzz/targets.h"

namespace lockbench::fuzz {

// Runs of letters, digits, `_` and `.` of at least two characters, and the marks and numbers that
// all texts from outside have in common.
std::set<std::string> words_of(const Seeds& seeds);

// Makes `folder`/NAME/seeds/ with a file for each seed, and `folder`/NAME/words, a dictionary as
// libFuzzer reads it, for each target. Throws std::filesystem::filesystem_error.
void write_seeds(const std::filesystem::path& folder);

}  // namespace lockbench::fuzz
