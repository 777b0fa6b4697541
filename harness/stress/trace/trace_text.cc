// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/trace/trace_text.h"

#include <algorithm>

#include <absl/strings/str_format.h>

namespace lockbench::stress {
namespace {

constexpr std::size_t kMost = 60;

const char* verb_of(Doing what) {
  switch (what) {
    case Doing::kNothing:
      return "leaves";
    case Doing::kWants:
      return "wants";
    case Doing::kHas:
      return "has";
    case Doing::kIsRefused:
      return "is refused";
    case Doing::kGives:
      return "gives back";
    case Doing::kGave:
      return "gave back";
    case Doing::kForeign:
      return "unlocks, without holding it,";
    case Doing::kEnded:
      break;
  }
  return "ends";
}

}  // namespace

std::vector<std::string> trace_text(std::vector<Said> said, std::uint64_t began_ns) {
  std::stable_sort(said.begin(), said.end(),
                   [](const Said& a, const Said& b) { return a.ns < b.ns; });
  std::vector<std::string> lines;
  for (std::size_t i = said.size() > kMost ? said.size() - kMost : 0; i < said.size(); ++i) {
    const double us = static_cast<double>(said[i].ns - began_ns) / 1000;
    lines.push_back(absl::StrFormat("%.1f us, %s %s%s%s", us, said[i].who, verb_of(said[i].what),
                                    said[i].of.empty() ? "" : " ", said[i].of));
  }
  return lines;
}

}  // namespace lockbench::stress
