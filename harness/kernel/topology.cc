// SPDX-License-Identifier: Apache-2.0

#include "harness/kernel/topology.h"

#include "harness/kernel/processors.h"

namespace lockbench {

Topology load_topology() {
  // hwloc asks sched_getaffinity with larger and larger sets until the kernel answers.
  if (refused_affinity_call().starts_with("sched_getaffinity")) return nullptr;
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  Topology topology(raw);
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  hwloc_topology_set_cache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_topology_set_icache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (hwloc_topology_load(raw) != 0) return nullptr;
  return topology;
}

}  // namespace lockbench
