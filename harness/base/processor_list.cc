// SPDX-License-Identifier: Apache-2.0

#include "harness/base/processor_list.h"

#include <charconv>
#include <cstddef>
#include <utility>

namespace lockbench {
namespace {

// "4-7" or "4".
std::optional<std::pair<int, int>> parse_range(std::string_view text) {
  const char* const end = text.data() + text.size();
  int first = 0;
  std::from_chars_result parsed = std::from_chars(text.data(), end, first);
  int last = first;
  if (parsed.ec == std::errc() && parsed.ptr != end && *parsed.ptr == '-') {
    parsed = std::from_chars(parsed.ptr + 1, end, last);
  }
  if (parsed.ec != std::errc() || parsed.ptr != end || first < 0 || last < first) {
    return std::nullopt;
  }
  return std::pair(first, last);
}

}  // namespace

std::optional<std::vector<int>> parse_processor_list(std::string_view text) {
  std::vector<int> list;
  for (;;) {
    const std::size_t comma = text.find(',');
    const std::optional<std::pair<int, int>> range = parse_range(text.substr(0, comma));
    if (!range || range->second >= kMostProcessors) return std::nullopt;
    for (int i = range->first; i <= range->second; ++i) list.push_back(i);
    if (comma == std::string_view::npos) return list;
    text.remove_prefix(comma + 1);
  }
}

std::string processor_list(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(numbers[i]);
    if (last > i) text += "-" + std::to_string(numbers[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace lockbench
