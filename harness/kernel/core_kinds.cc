// SPDX-License-Identifier: Apache-2.0

#include "harness/kernel/core_kinds.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <set>
#include <utility>

namespace lockbench {
namespace {

using internal::ReportedKind;

// By less, the same cores are clocked differently: 5,000 and 5,100 MHz.
constexpr double kAnotherSpeed = 1.2;

std::uint32_t number_in(const char* text) {
  std::uint32_t number = 0;
  std::from_chars(text, text + std::strlen(text), number);
  return number;
}

hwloc_obj_t unit_of(hwloc_topology_t topology, int processor) {
  return hwloc_get_pu_obj_by_os_index(topology, static_cast<unsigned>(processor));
}

ReportedKind reported_by(hwloc_topology_t topology, unsigned number, hwloc_bitmap_t set) {
  ReportedKind kind;
  unsigned count = 0;
  hwloc_info_s* infos = nullptr;
  if (hwloc_cpukinds_get_info(topology, number, set, &kind.efficiency, &count, &infos, 0) != 0) {
    return {};
  }
  for (int cpu = hwloc_bitmap_first(set); cpu >= 0; cpu = hwloc_bitmap_next(set, cpu)) {
    // One that is offline has no object.
    if (unit_of(topology, cpu) != nullptr) kind.processors.push_back(cpu);
  }
  for (unsigned i = 0; i < count; ++i) {
    const std::string_view name = infos[i].name;
    if (name == "CoreType") kind.type = infos[i].value;
    if (name == "FrequencyMaxMHz") kind.mhz = number_in(infos[i].value);
    if (name == "LinuxCapacity") kind.capacity = number_in(infos[i].value);
  }
  return kind;
}

std::uint32_t cores_among(hwloc_topology_t topology, const std::vector<int>& processors) {
  std::set<unsigned> cores;
  for (const int number : processors) {
    const hwloc_obj_t core =
        hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, unit_of(topology, number));
    if (core != nullptr) cores.insert(core->logical_index);
  }
  return static_cast<std::uint32_t>(cores.size());
}

// True if the speeds are known and one is greater by a fifth.
bool differ(std::uint32_t one, std::uint32_t other) {
  if (one == 0 || other == 0) return false;
  const auto [less, more] = std::minmax(one, other);
  return static_cast<double>(more) >= kAnotherSpeed * static_cast<double>(less);
}

bool is_another_kind(const ReportedKind& one, const ReportedKind& other) {
  if (one.type != other.type) return true;
  if (differ(one.mhz, other.mhz) || differ(one.capacity, other.capacity)) return true;
  const bool speed_known = (one.mhz != 0 && other.mhz != 0) || !one.type.empty() ||
                           (one.capacity != 0 && other.capacity != 0);
  return !speed_known && one.efficiency != other.efficiency;
}

bool is_faster(const ReportedKind& one, const ReportedKind& other) {
  if (one.efficiency != other.efficiency) return one.efficiency > other.efficiency;
  if (one.capacity != other.capacity) return one.capacity > other.capacity;
  return one.mhz > other.mhz;
}

}  // namespace

namespace internal {

std::vector<ReportedKind> distinct_kinds(std::vector<ReportedKind> reported) {
  std::erase_if(reported, [](const ReportedKind& kind) { return kind.processors.empty(); });
  std::stable_sort(reported.begin(), reported.end(), is_faster);
  std::vector<ReportedKind> distinct;
  for (ReportedKind& kind : reported) {
    if (distinct.empty() || is_another_kind(distinct.back(), kind)) {
      distinct.push_back(std::move(kind));
      continue;
    }
    ReportedKind& same = distinct.back();
    same.processors.insert(same.processors.end(), kind.processors.begin(), kind.processors.end());
    same.mhz = std::max(same.mhz, kind.mhz);
  }
  for (ReportedKind& kind : distinct) std::sort(kind.processors.begin(), kind.processors.end());
  return distinct;
}

}  // namespace internal

std::vector<CoreKind> core_kinds(hwloc_topology_t topology) {
  const int reported = hwloc_cpukinds_get_nr(topology, 0);
  std::vector<ReportedKind> all;
  const hwloc_bitmap_t set = hwloc_bitmap_alloc();
  for (int i = 0; i < reported; ++i) {
    all.push_back(reported_by(topology, static_cast<unsigned>(i), set));
  }
  hwloc_bitmap_free(set);
  const std::vector<ReportedKind> distinct = internal::distinct_kinds(std::move(all));
  std::vector<CoreKind> kinds;
  std::size_t known = 0;
  for (const ReportedKind& kind : distinct) known += kind.processors.size();
  const auto processors =
      static_cast<std::size_t>(hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU));
  if (distinct.size() < 2 || known < processors) return kinds;
  for (const ReportedKind& kind : distinct) {
    kinds.push_back({.name = name_of_core_kind(kinds.size(), distinct.size()),
                     .type = kind.type,
                     .processors = kind.processors,
                     .cores = cores_among(topology, kind.processors),
                     .greatest_mhz = kind.mhz});
  }
  return kinds;
}

}  // namespace lockbench
