// SPDX-License-Identifier: Apache-2.0

// Periods: when a run was measured.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockbench {

// First and last second of a period, counted from 1970.
using Period = std::pair<std::int64_t, std::int64_t>;

// Appends a period, or extends the last one if the two are adjacent.
void add_period(std::vector<Period>& periods, const Period& period);

// Sorts and joins periods after rows that were out of order.
void sort_and_join(std::vector<Period>& periods);

// Converts `2025-01-31T23:59:59Z` to seconds since 1970 and back; 0 for an invalid text.
std::int64_t seconds_of(std::string_view iso);
std::string iso_of(std::int64_t seconds);

}  // namespace lockbench
