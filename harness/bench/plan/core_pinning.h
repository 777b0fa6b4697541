// SPDX-License-Identifier: Apache-2.0

// CorePinning: the ways to bind threads that name kinds of cores. Pure.
//
//   kind:slow    on the cores of this kind
//   mixed:2+1    two threads on the fastest kind, one on the next
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace lockbench {

inline constexpr std::string_view kKindPrefix = "kind:";
inline constexpr std::string_view kMixedPrefix = "mixed:";

// The kind in `kind:slow`; absent if the text is no such pinning.
inline std::optional<std::string_view> kind_named(std::string_view pinning) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  if (!pinning.starts_with(kKindPrefix)) return std::nullopt;
  const std::string_view name = pinning.substr(kKindPrefix.size());
  if (name.empty() || name.find_first_not_of(kLetters) != name.npos) return std::nullopt;
  return name;
}

// The threads on each kind of core in `mixed:2+1`, the fastest kind first. Absent if the text is no
// such pinning, or if nobody is bound by it.
inline std::optional<std::vector<std::uint32_t>> parse_mixed(std::string_view pinning) {
  constexpr std::uint32_t kMostThreads = 65'535;
  if (!pinning.starts_with(kMixedPrefix)) return std::nullopt;
  std::vector<std::uint32_t> counts;
  std::uint32_t sum = 0;
  for (std::string_view rest = pinning.substr(kMixedPrefix.size());;) {
    std::uint32_t count = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), count);
    if (error != std::errc{} || count > kMostThreads) return std::nullopt;
    counts.push_back(count);
    sum += count;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    if (rest.empty()) break;
    if (rest.front() != '+') return std::nullopt;
    rest.remove_prefix(1);
  }
  if (sum == 0) return std::nullopt;
  return counts;
}

}  // namespace lockbench
