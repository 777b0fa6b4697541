// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/command/trace_file.h"

#include <sstream>

#include <absl/status/status.h>
#include <nlohmann/json.hpp>

#include "harness/base/files.h"

namespace lockbench {
namespace {

constexpr std::size_t kMostBytes = 64U << 20;

// Empty if the line is not an event.
std::string event_from_json(const std::string& line) {
  const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object() || !json.contains("event") || !json["event"].is_string()) return "";
  const std::string event = json["event"];
  if (!json.contains("thread")) return event;
  if (!json["thread"].is_number_unsigned()) return "";
  return "thread " + std::to_string(json["thread"].get<std::uint64_t>()) + " " + event;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> trace_from(const std::string& text,
                                                    const std::string& name) {
  std::vector<std::string> events;
  std::istringstream lines(text);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos || line[begin] == '#') continue;
    std::string event = line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
    if (event[0] == '{') {
      event = event_from_json(event);
      if (event.empty()) {
        return absl::InvalidArgumentError(
            name + ":" + std::to_string(number) +
            ": not an event; an example in JSON is {\"thread\": 1, \"event\": \"acquires a\"}");
      }
    }
    events.push_back(std::move(event));
  }
  return events;
}

absl::StatusOr<std::vector<std::string>> read_trace(const std::filesystem::path& path) {
  const absl::StatusOr<std::string> text = read_file(path, kMostBytes);
  if (absl::IsOutOfRange(text.status())) {
    return absl::InvalidArgumentError(path.string() + ": more than 64 MiB; use a shorter trace");
  }
  if (!text.ok()) return text.status();
  return trace_from(*text, path.string());
}

}  // namespace lockbench
