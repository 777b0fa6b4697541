// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/measure/pinning.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "harness/kernel/processors.h"
#include "harness/kernel/topology.h"

namespace lockbench {
namespace {

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
  const std::optional<std::vector<int>> list = parse_processor_list(pinning);
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
  const std::vector<int> allowed = allowed_processor_numbers();
  const Topology topology = load_topology();
  if (topology == nullptr) return processors;
  hwloc_topology_t all = topology.get();
  hwloc_obj_t unit = nullptr;
  while ((unit = hwloc_get_next_obj_by_type(all, HWLOC_OBJ_PU, unit)) != nullptr) {
    const auto number = static_cast<int>(unit->os_index);
    if (!std::binary_search(allowed.begin(), allowed.end(), number)) continue;
    const int package = group_of(all, unit, HWLOC_OBJ_PACKAGE, 0);
    processors.push_back({.number = number,
                          .core = group_of(all, unit, HWLOC_OBJ_CORE, number),
                          .cluster = group_of(all, unit, HWLOC_OBJ_L3CACHE, package),
                          .package = package});
  }
  return processors;
}

std::string why_no_processors() {
  const std::string refused = refused_affinity_call();
  return "this machine's processors are unknown: " +
         (refused.empty() ? "hwloc does not report them"
                          : "the kernel refuses " + refused +
                                "; permit it (seccomp, systemd's SystemCallFilter), or measure "
                                "with pinning none");
}

absl::StatusOr<std::vector<int>> place_threads(std::string_view pinning, std::uint32_t threads,
                                               const std::vector<Processor>& allowed) {
  if (pinning == "none") return std::vector<int>{};
  if (allowed.empty()) return absl::UnavailableError(why_no_processors());
  const absl::StatusOr<std::vector<int>> order = order_for(pinning, allowed);
  if (!order.ok()) return order.status();
  std::vector<int> placed(threads);
  for (std::uint32_t i = 0; i < threads; ++i) placed[i] = (*order)[i % order->size()];
  return placed;
}

absl::StatusOr<std::vector<int>> processors_for(std::string_view pinning, std::uint32_t threads) {
  if (pinning == "none") return std::vector<int>{};
  static std::mutex mutex;
  static std::vector<int> numbers;           // guarded by `mutex`
  static std::vector<Processor> processors;  // those with these numbers
  const std::scoped_lock lock(mutex);
  const std::vector<int> allowed = allowed_processor_numbers();
  if (processors.empty() || numbers != allowed) {
    processors = allowed_processors();
    numbers = allowed;
  }
  return place_threads(pinning, threads, processors);
}

absl::StatusOr<std::vector<int>> processors_for(std::string_view pinning, std::uint32_t threads,
                                                const std::vector<int>& placed) {
  const std::vector<int> allowed = allowed_processor_numbers();
  const bool usable =
      placed.size() == threads && std::all_of(placed.begin(), placed.end(), [&](int number) {
        return std::binary_search(allowed.begin(), allowed.end(), number);
      });
  if (pinning != "none" && usable) return placed;
  return processors_for(pinning, threads);
}

}  // namespace lockbench
