// SPDX-License-Identifier: Apache-2.0

// Topology: the processors, cores and caches of this machine, as hwloc reports them.
#pragma once

#include <memory>
#include <type_traits>

#include <hwloc.h>

namespace lockbench {

struct DestroyTopology {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, DestroyTopology>;

// The topology of the whole machine, including parts that this process may not use; null if hwloc
// fails, or if the kernel refuses the call that hwloc would repeat for ever.
Topology load_topology();

}  // namespace lockbench
