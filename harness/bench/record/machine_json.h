// SPDX-License-Identifier: Apache-2.0

// MachineJson: the members of `machine` in meta.json.
//
// BuildJson: the members of `build` and of `plugins` in meta.json.
#pragma once

#include "harness/base/json_fields.h"
#include "harness/bench/record/build.h"
#include "harness/bench/record/machine.h"

namespace lockbench {

template <EitherConst<Build> T, class Visit>
void json_fields(T& build, Visit&& visit) {
  visit("version", build.version);
  visit("compiler", build.compiler);
  visit("build_type", build.build_type);
  visit("flags", build.flags);
  visit("libraries", build.libraries);
  visit("commit", build.commit);
  visit("modified", build.modified);
}

template <EitherConst<PluginRecord> T, class Visit>
void json_fields(T& plugin, Visit&& visit) {
  visit("file", plugin.file);
  visit("file_hash", plugin.file_hash);
  visit("optimisation", plugin.optimisation);
  visit("assertions", plugin.assertions);
  visit("sanitizers", plugin.sanitizers);
  visit("lto", plugin.lto);
  visit("compiler", plugin.compiler);
  visit("flags", plugin.flags);
  visit("differs", plugin.differs);
}

template <EitherConst<Cache> T, class Visit>
void json_fields(T& cache, Visit&& visit) {
  visit("level", cache.level);
  visit("kind", cache.kind);
  visit("bytes", cache.bytes);
  visit("number", cache.number);
  visit("threads", cache.threads);
}

template <EitherConst<MachineCores> T, class Visit>
void json_fields(T& cores, Visit&& visit) {
  visit("kind", cores.kind);
  visit("type", cores.type);
  visit("cores", cores.cores);
  visit("hardware_threads", cores.hardware_threads);
  visit("usable_threads", cores.usable_threads);
  visit("greatest_mhz", cores.greatest_mhz);
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
  visit("core_kinds", machine.core_kinds);
  visit("governor", machine.governor);
  visit("kernel", machine.kernel);
  visit("hypervisor", machine.hypervisor);
  visit("memory_bytes", machine.memory_bytes);
  visit("caches", machine.caches);
}

}  // namespace lockbench
