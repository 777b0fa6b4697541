// SPDX-License-Identifier: Apache-2.0

#include "harness/base/nearest.h"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

namespace lockbench {
namespace {

constexpr std::size_t kShortestAbbreviation = 3;

// How many names a message suggests of many.
constexpr std::size_t kNearestNames = 5;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::optional<std::string> abbreviated(std::string_view typed, std::span<const std::string> names) {
  if (typed.size() < kShortestAbbreviation) return std::nullopt;
  std::optional<std::string> found;
  for (const std::string& name : names) {
    if (!lower(name).starts_with(typed)) continue;
    if (found) return std::nullopt;
    found = name;
  }
  return found;
}

// `distribution` is a part of `key-distribution`; with dashes or without before them.
std::optional<std::string> part_of(std::string_view typed, std::span<const std::string> names) {
  typed.remove_prefix(std::min(typed.find_first_not_of('-'), typed.size()));
  if (typed.size() < kShortestAbbreviation) return std::nullopt;
  for (const std::string& name : names) {
    const std::string known = lower(name);
    const std::size_t at = known.find(typed);
    if (at == std::string::npos || at == 0) continue;
    const std::size_t end = at + typed.size();
    const auto separates = [](char c) { return c == '-' || c == '_'; };
    if (separates(known[at - 1]) && (end == known.size() || separates(known[end]))) return name;
  }
  return std::nullopt;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> cost((a.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& { return cost[i * width + j]; };
  for (std::size_t i = 0; i <= a.size(); ++i) at(i, 0) = i;
  for (std::size_t j = 0; j <= b.size(); ++j) at(0, j) = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = at(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, substituted});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  }
  return at(a.size(), b.size());
}

std::optional<std::string> nearest(std::string_view typed, std::span<const std::string> names) {
  const std::string wanted = lower(typed);
  const std::size_t furthest = 1 + wanted.size() / 5;
  const std::string* best = nullptr;
  std::size_t best_distance = furthest + 1;
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(wanted, lower(name));
    // A name that shares no letter with the typed one is no suggestion.
    if (distance >= best_distance || distance >= std::max(wanted.size(), name.size())) continue;
    best = &name;
    best_distance = distance;
  }
  if (best != nullptr) return *best;
  const std::optional<std::string> longer = abbreviated(wanted, names);
  return longer ? longer : part_of(wanted, names);
}

namespace {

// The names that take the fewest edits, those first; of equal ones, the earlier.
std::vector<std::string> nearest_ones(std::string_view typed, std::span<const std::string> names,
                                      std::size_t count) {
  const std::string wanted = lower(typed);
  std::vector<std::pair<std::size_t, std::string>> by_distance;
  by_distance.reserve(names.size());
  for (const std::string& name : names) {
    by_distance.emplace_back(edit_distance(wanted, lower(name)), name);
  }
  std::stable_sort(by_distance.begin(), by_distance.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> found;
  for (std::size_t i = 0; i < std::min(count, by_distance.size()); ++i) {
    found.push_back(std::move(by_distance[i].second));
  }
  return found;
}

}  // namespace

absl::Status unknown_name(std::string_view kind, std::string_view typed,
                          std::span<const std::string> names, std::string_view how_to_list) {
  if (const std::optional<std::string> near = nearest(typed, names)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("unknown %s '%s'; did you mean '%s'?", kind, typed, *near));
  }
  if (names.size() > kMostNamesListed) {
    std::string said =
        absl::StrFormat("unknown %s '%s'; the nearest of %d: %s", kind, typed, names.size(),
                        absl::StrJoin(nearest_ones(typed, names, kNearestNames), ", "));
    if (!how_to_list.empty()) said += absl::StrFormat("; %s", how_to_list);
    return absl::InvalidArgumentError(said);
  }
  return absl::InvalidArgumentError(
      absl::StrFormat("unknown %s '%s'; there are: %s", kind, typed, absl::StrJoin(names, ", ")));
}

}  // namespace lockbench
