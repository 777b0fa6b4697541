// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/measure/pinning.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>

#include "harness/kernel/core_kinds.h"
#include "harness/kernel/processors.h"
#include "harness/kernel/topology.h"

namespace lockbench {
namespace {

// The number of the object of that type that contains the processor; `without` if there is none.
int group_of(hwloc_topology_t topology, hwloc_obj_t unit, hwloc_obj_type_t type, int without) {
  const hwloc_obj_t group = hwloc_get_ancestor_obj_by_type(topology, type, unit);
  return group == nullptr ? without : static_cast<int>(group->logical_index);
}

void set_kind(Processor& processor, const std::vector<CoreKind>& kinds) {
  for (std::size_t rank = 0; rank < kinds.size(); ++rank) {
    const std::vector<int>& numbers = kinds[rank].processors;
    if (!std::binary_search(numbers.begin(), numbers.end(), processor.number)) continue;
    processor.rank = static_cast<int>(rank);
    processor.kind = kinds[rank].name;
  }
}

}  // namespace

std::vector<Processor> internal::processors_in(hwloc_topology_t topology,
                                               const std::vector<int>& allowed) {
  std::vector<Processor> processors;
  const std::vector<CoreKind> kinds = core_kinds(topology);
  hwloc_obj_t unit = nullptr;
  while ((unit = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, unit)) != nullptr) {
    const auto number = static_cast<int>(unit->os_index);
    if (!std::binary_search(allowed.begin(), allowed.end(), number)) continue;
    const int package = group_of(topology, unit, HWLOC_OBJ_PACKAGE, 0);
    processors.push_back({.number = number,
                          .core = group_of(topology, unit, HWLOC_OBJ_CORE, number),
                          .cluster = group_of(topology, unit, HWLOC_OBJ_L3CACHE, package),
                          .package = package});
    set_kind(processors.back(), kinds);
  }
  return processors;
}

std::vector<Processor> allowed_processors() {
  const std::vector<int> allowed = allowed_processor_numbers();
  const Topology topology = load_topology();
  if (topology == nullptr) return {};
  return internal::processors_in(topology.get(), allowed);
}

std::string why_no_processors() {
  const std::string refused = refused_affinity_call();
  return "this machine's processors are unknown: " +
         (refused.empty() ? "hwloc does not report them"
                          : "the kernel refuses " + refused +
                                "; permit it (seccomp, systemd's SystemCallFilter), or measure "
                                "with pinning none");
}

std::vector<Processor> processors_here() {
  static std::mutex mutex;
  static std::vector<int> numbers;           // guarded by `mutex`
  static std::vector<Processor> processors;  // those with these numbers
  const std::scoped_lock lock(mutex);
  const std::vector<int> allowed = allowed_processor_numbers();
  if (processors.empty() || numbers != allowed) {
    processors = allowed_processors();
    numbers = allowed;
  }
  return processors;
}

absl::StatusOr<std::vector<int>> processors_for(std::string_view pinning, std::uint32_t threads) {
  if (pinning == "none") return std::vector<int>{};
  const std::vector<Processor> here = processors_here();
  if (here.empty()) return absl::UnavailableError(why_no_processors());
  return place_threads(pinning, threads, here);
}

Placement placement_for(std::string_view pinning, std::uint32_t threads) {
  Placement placed{.processors = processors_for(pinning, threads).value_or(std::vector<int>())};
  if (placed.processors.empty()) return placed;
  const std::vector<Processor> here = processors_here();
  placed.ranks = ranks_of(placed.processors, here);
  if (!placed.ranks.empty()) placed.fast_processor = fastest_of(here);
  return placed;
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
