// SPDX-License-Identifier: Apache-2.0

// write_page: writes a document that a Python script generates from JSON.
#pragma once

#include <filesystem>
#include <string>

#include <absl/status/status.h>

namespace lockbench {

// Runs `script` (harness/petri/python/animation.py), which needs jinja2, with `file` as its
// argument and `json` as its input. If the file ends in `.json`, it writes `json` itself.
// Unavailable if Python or a module is missing, or if the file cannot be written; the message is
// one line.
absl::Status write_page(const std::string& script, const std::string& json,
                        const std::filesystem::path& file);

}  // namespace lockbench
