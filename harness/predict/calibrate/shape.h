// SPDX-License-Identifier: Apache-2.0

// Shape: processors in sockets, clusters and cores, as the model of a machine counts them.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/bench/measure/pinning.h"
#include "harness/predict/calibrate/measure_figures.h"
#include "harness/predict/machine/machine_model.h"

namespace lockbench::calibration {

struct Shape {
  std::uint32_t sockets = 1;
  std::uint32_t clusters_per_socket = 1;
  std::uint32_t cores_per_cluster = 1;
  std::uint32_t threads_per_core = 1;
  // True if the groups of each kind have one size. If not, each processor counts as a core of one
  // cluster, and only the latencies say how far away it is.
  bool regular = true;
  // The fastest first, of speed 1 as long as none was measured. Empty: all cores are of one kind.
  // If there are kinds, all cores count as one cluster, those of the fastest kind first.
  std::vector<machine::KindOfCores> kinds = {};
  Cores cores;  // kind by kind, socket by socket, cluster by cluster

  bool operator==(const Shape&) const = default;
};

// Pure. Requires at least one processor.
Shape shape_of(std::vector<Processor> processors);

}  // namespace lockbench::calibration
