// SPDX-License-Identifier: Apache-2.0

// Trace files: what was seen, an event a line, to be held against a net.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

namespace lockbench {

// A line is an event as the net names it, `thread 1 takes a`, or a JSON object with the event's
// words in "event" and, where these do not name it, the thread's number in "thread". Empty lines
// and lines that begin with # are left out. InvalidArgument: `file:line: what is wrong`, or a file
// of more than 64 MiB; NotFound and others when it cannot be read.
absl::StatusOr<std::vector<std::string>> read_trace(const std::filesystem::path& path);

// The same of text; `name` is for complaints.
absl::StatusOr<std::vector<std::string>> trace_from(const std::string& text,
                                                    const std::string& name);

}  // namespace lockbench
