// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/labels.h"

#include <algorithm>
#include <sstream>

namespace lockbench::internal {
namespace {

constexpr double kLetter = 5.3;      // width of an average letter, in points
constexpr std::size_t kWrapAt = 15;  // letters a line

std::vector<std::string> wrapped(const std::string& words) {
  std::vector<std::string> lines;
  std::istringstream in(words);
  for (std::string word; in >> word;) {
    if (lines.empty() || lines.back().size() + 1 + word.size() > kWrapAt) {
      lines.push_back(word);
    } else {
      lines.back() += " " + word;
    }
  }
  return lines;
}

}  // namespace

std::string owner_of(const std::string& words) {
  for (const std::string kind : {"thread ", "process "}) {
    if (!words.starts_with(kind)) continue;
    const std::size_t end = words.find(' ', kind.size());
    return end == std::string::npos ? "" : words.substr(0, end);
  }
  return "";
}

std::vector<std::string> label_of(const std::string& words) {
  const std::string owner = owner_of(words);
  return wrapped(owner.empty() ? words : words.substr(owner.size() + 1));
}

double text_width(const std::vector<std::string>& lines) {
  std::size_t longest = 0;
  for (const std::string& text : lines) longest = std::max(longest, text.size());
  return static_cast<double>(longest) * kLetter;
}

}  // namespace lockbench::internal
