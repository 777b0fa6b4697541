// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/merge/periods.h"

#include <algorithm>
#include <ctime>

namespace lockbench {

void add_period(std::vector<Period>& periods, const Period& period) {
  if (!periods.empty() && period.first <= periods.back().second + 1) {
    periods.back().second = std::max(periods.back().second, period.second);
  } else {
    periods.push_back(period);
  }
}

void sort_and_join(std::vector<Period>& periods) {
  std::sort(periods.begin(), periods.end());
  std::vector<Period> joined;
  for (const Period& period : periods) add_period(joined, period);
  periods = std::move(joined);
}

std::int64_t seconds_of(std::string_view iso) {
  std::tm parts{};
  const std::string text(iso);
  const char* const end = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return end != nullptr && *end == '\0' ? static_cast<std::int64_t>(timegm(&parts)) : 0;
}

std::string iso_of(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[64];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace lockbench
