// SPDX-License-Identifier: Apache-2.0

// MachineJson: the members of `machine` in meta.json.
#pragma once

#include "harness/plan/json_fields.h"
#include "harness/record/machine.h"

namespace lockbench {

template <EitherConst<Cache> T, class Visit>
void json_fields(T& cache, Visit&& visit) {
  visit("level", cache.level);
  visit("kind", cache.kind);
  visit("bytes", cache.bytes);
  visit("number", cache.number);
  visit("threads", cache.threads);
}

template <EitherConst<Machine> T, class Visit>
void json_fields(T& machine, Visit&& visit) {
  visit("id", machine.id);
  visit("host", machine.host);
  visit("boot_id", machine.boot_id);
  visit("cpu_model", machine.cpu_model);
  visit("packages", machine.packages);
  visit("numa_nodes", machine.numa_nodes);
  visit("cores", machine.cores);
  visit("hardware_threads", machine.hardware_threads);
  visit("threads_per_core", machine.threads_per_core);
  visit("usable_threads", machine.usable_threads);
  visit("cpu_quota", machine.cpu_quota);
  visit("cpuset", machine.cpuset);
  visit("cpu_weight", machine.cpu_weight);
  visit("governor", machine.governor);
  visit("kernel", machine.kernel);
  visit("hypervisor", machine.hypervisor);
  visit("memory_bytes", machine.memory_bytes);
  visit("caches", machine.caches);
}

}  // namespace lockbench
