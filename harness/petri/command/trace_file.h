// SPDX-License-Identifier: Apache-2.0

// Trace files: observed events, one per line, to be checked against a net.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

namespace lockbench {

// A line is an event of the net, `thread 1 acquires a`, or a JSON object with the text of the event
// in "event" and, if the text does not contain it, the number of the thread in "thread". Empty
// lines and lines that begin with # are skipped. InvalidArgument: `file:line: what is wrong`, or a
// file of more than 64 MiB. NotFound and others if the file cannot be read.
absl::StatusOr<std::vector<std::string>> read_trace(const std::filesystem::path& path);

// The same for text; messages use `name`.
absl::StatusOr<std::vector<std::string>> trace_from(const std::string& text,
                                                    const std::string& name);

}  // namespace lockbench
