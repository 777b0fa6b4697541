// SPDX-License-Identifier: Apache-2.0

// MachineIdentity: whether two descriptions are of one machine in the same condition.
//
// All parts of the program that need this use the list below: `run --resume`, `run --shard`,
// `merge` and `doctor --nodes` in C++, and `compare` in Python, which reads the list from the run's
// schema.json.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "harness/bench/record/machine.h"

namespace lockbench {

// Members of `machine` in meta.json. Figures of machines that differ in one of them must not be
// mixed. For example, `usable_threads` differs if an affinity mask or a container allows fewer
// processors.
inline constexpr std::array<std::string_view, 15> kMachineConditions{
    "cpu_model",        "packages",       "numa_nodes", "cores",        "hardware_threads",
    "threads_per_core", "usable_threads", "hypervisor", "memory_bytes", "kernel",
    "governor",         "cpu_quota",      "cpuset",     "cpu_weight",   "core_kinds"};

// The last of them are absent on most machines: limits that this process has, and kinds of cores.
inline constexpr std::size_t kMachineLimits = 4;

// Members that distinguish a machine from others of the same kind. If either one is equal, it is
// the same machine: containers on one machine have the same boot id and different names, and a
// machine after a restart has the same name and a new boot id. Machines that differ in both are
// different machines.
inline constexpr std::array<std::string_view, 2> kMachineNames{"boot_id", "host"};

// Each condition in which they differ, as `usable_threads 2 and 1`; empty if the machines are of
// one kind.
std::vector<std::string> condition_differences(const Machine& one, const Machine& other);

// The first difference, as `usable_threads 2 and 1`; empty if both are one machine. Names that are
// missing in a description, because an older version wrote it, are not compared.
std::string machine_difference(const Machine& one, const Machine& other);

// The machine's name in rows: its host name and a hash of the conditions, as `node7-3f2a9c`.
std::string machine_id(const Machine& machine);

}  // namespace lockbench
