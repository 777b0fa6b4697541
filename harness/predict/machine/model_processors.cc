// SPDX-License-Identifier: Apache-2.0

#include "harness/predict/machine/model_processors.h"

#include <cstdint>

namespace lockbench::machine {

std::vector<Processor> processors_of(const MachineModel& model) {
  std::vector<Processor> processors;
  const std::uint32_t of_socket = model.clusters_per_socket * model.cores_per_cluster;
  for (std::uint32_t core = 0; core < model.cores(); ++core) {
    const std::uint32_t rank = model.rank_of(core);
    for (std::uint32_t number = core; number < model.processors(); number += model.cores()) {
      processors.push_back({.number = static_cast<int>(number),
                            .core = static_cast<int>(core),
                            .cluster = static_cast<int>(model.cluster_of(number)),
                            .package = static_cast<int>(core / of_socket),
                            .rank = static_cast<int>(rank),
                            .kind = model.kinds.empty() ? "" : model.kinds[rank].name});
    }
  }
  return processors;
}

}  // namespace lockbench::machine
