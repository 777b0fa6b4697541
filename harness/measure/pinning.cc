// SPDX-License-Identifier: Apache-2.0

#include "harness/measure/pinning.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <sched.h>
#include <string>
#include <utility>

#include <hwloc.h>

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

// "0,2,4-7"; absent if the text is not a list of this form.
std::optional<std::vector<int>> parse_list(std::string_view text) {
  std::vector<int> list;
  for (;;) {
    const std::size_t comma = text.find(',');
    const std::optional<std::pair<int, int>> range = parse_range(text.substr(0, comma));
    if (!range || range->second >= CPU_SETSIZE) return std::nullopt;
    for (int i = range->first; i <= range->second; ++i) list.push_back(i);
    if (comma == std::string_view::npos) return list;
    text.remove_prefix(comma + 1);
  }
}

std::string numbers_of(const std::vector<Processor>& processors) {
  std::string text;
  for (const Processor& p : processors) {
    text += (text.empty() ? "" : ",") + std::to_string(p.number);
  }
  return text;
}

// One processor of each core, then the second one of each core, and so on.
std::vector<int> round_by_round(const std::vector<Processor>& allowed) {
  std::map<int, int> seen_of_core;
  std::vector<std::pair<int, int>> by_round;
  for (const Processor& p : allowed) by_round.emplace_back(seen_of_core[p.core]++, p.number);
  std::stable_sort(by_round.begin(), by_round.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<int> order;
  for (const auto& [round, number] : by_round) order.push_back(number);
  return order;
}

absl::StatusOr<std::vector<int>> order_for(std::string_view pinning,
                                           const std::vector<Processor>& allowed) {
  std::vector<int> in_order;
  for (const Processor& p : allowed) in_order.push_back(p.number);
  if (pinning == "compact") return in_order;
  if (pinning == "scatter") return round_by_round(allowed);
  if (pinning == "one-core") return std::vector<int>{in_order.front()};
  const std::optional<std::vector<int>> list = parse_list(pinning);
  if (!list) {
    return absl::InvalidArgumentError("pinning '" + std::string(pinning) +
                                      "' is none of none, compact, scatter, one-core or a list of "
                                      "processors like 0,2,4-7");
  }
  for (const int number : *list) {
    if (std::find(in_order.begin(), in_order.end(), number) == in_order.end()) {
      return absl::InvalidArgumentError("pinning names processor " + std::to_string(number) +
                                        ", but this process may use only " + numbers_of(allowed));
    }
  }
  return *list;
}

// The number of the object of that type that contains the processor; `without` if there is none.
int group_of(hwloc_topology_t topology, hwloc_obj_t unit, hwloc_obj_type_t type, int without) {
  const hwloc_obj_t group = hwloc_get_ancestor_obj_by_type(topology, type, unit);
  return group == nullptr ? without : static_cast<int>(group->logical_index);
}

}  // namespace

std::vector<Processor> allowed_processors() {
  std::vector<Processor> processors;
  cpu_set_t allowed;  // the processors that a cpuset or taskset allows for this process
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return processors;
  hwloc_topology_t topology;
  if (hwloc_topology_init(&topology) != 0) return processors;
  if (hwloc_topology_load(topology) == 0) {
    hwloc_obj_t unit = nullptr;
    while ((unit = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, unit)) != nullptr) {
      const auto number = static_cast<int>(unit->os_index);
      if (!CPU_ISSET(unit->os_index, &allowed)) continue;
      const int package = group_of(topology, unit, HWLOC_OBJ_PACKAGE, 0);
      processors.push_back({.number = number,
                            .core = group_of(topology, unit, HWLOC_OBJ_CORE, number),
                            .cluster = group_of(topology, unit, HWLOC_OBJ_L3CACHE, package),
                            .package = package});
    }
  }
  hwloc_topology_destroy(topology);
  return processors;
}

std::uint32_t usable_processors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<std::uint32_t>(std::max(1, CPU_COUNT(&set)));
}

absl::StatusOr<std::vector<int>> place_threads(std::string_view pinning, std::uint32_t threads,
                                               const std::vector<Processor>& allowed) {
  if (pinning == "none") return std::vector<int>{};
  if (allowed.empty()) return absl::UnavailableError("hwloc cannot tell this machine's processors");
  const absl::StatusOr<std::vector<int>> order = order_for(pinning, allowed);
  if (!order.ok()) return order.status();
  std::vector<int> placed(threads);
  for (std::uint32_t i = 0; i < threads; ++i) placed[i] = (*order)[i % order->size()];
  return placed;
}

absl::StatusOr<std::vector<int>> processors_for(std::string_view pinning, std::uint32_t threads) {
  if (pinning == "none") return std::vector<int>{};
  return place_threads(pinning, threads, allowed_processors());
}

}  // namespace lockbench
