// SPDX-License-Identifier: Apache-2.0

// Core kinds: which cores of a machine are faster than others of it, as hwloc reports them (from
// CPUID leaf 1A, cpu_capacity and cpufreq).
//
// Guarantees   Cores are of several kinds only if their type differs or their greatest speed
//              differs by a fifth: the one or two favourite cores of a processor, which may be
//              clocked some percent higher, are no kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <hwloc.h>

#include "harness/base/core_kind_name.h"

namespace lockbench {

struct CoreKind {
  std::string name;             // fast, middle, slow; see name_of_core_kind()
  std::string type;             // `IntelCore`; empty if hwloc does not know it
  std::vector<int> processors;  // online, of the whole machine, by the kernel's numbers, ascending
  std::uint32_t cores = 0;
  std::uint32_t greatest_mhz = 0;  // 0: unknown

  bool operator==(const CoreKind&) const = default;
};

// The kinds of cores, the fastest first; empty if all cores are of one kind, or if hwloc does not
// know the kind of each.
std::vector<CoreKind> core_kinds(hwloc_topology_t topology);

namespace internal {

// Some processors, as hwloc describes them.
struct ReportedKind {
  std::string type;
  std::vector<int> processors;
  int efficiency = -1;         // greater is faster; -1: unknown
  std::uint32_t mhz = 0;       // 0: unknown
  std::uint32_t capacity = 0;  // the kernel's figure on ARM, 1024 at most; 0: unknown

  bool operator==(const ReportedKind&) const = default;
};

// The kinds among them that differ, the fastest first; equal ones are merged. Pure.
std::vector<ReportedKind> distinct_kinds(std::vector<ReportedKind> reported);

}  // namespace internal

}  // namespace lockbench
