// SPDX-License-Identifier: Apache-2.0

// write_page: a document that a script in Python makes of JSON.
#pragma once

#include <filesystem>
#include <string>

#include <absl/status/status.h>

namespace lockbench {

// Runs `script` (scripts/animation.py), which needs jinja2, with `file` as its argument and `json`
// as its input; writes `json` itself if the file ends in `.json`. Unavailable if Python, its
// modules or the file is missing or fails; says why in one line.
absl::Status write_page(const std::string& script, const std::string& json,
                        const std::filesystem::path& file);

}  // namespace lockbench
