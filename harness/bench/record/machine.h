// SPDX-License-Identifier: Apache-2.0

// Machine: the machine that measured a run, as far as the machine reports its properties.
//
// An unknown property is absent; nothing is guessed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockbench {

struct Cache {
  std::uint32_t level = 0;
  std::string kind;           // data, instruction or unified
  std::uint64_t bytes = 0;    // of one cache
  std::uint32_t number = 0;   // how many the machine has
  std::uint32_t threads = 0;  // hardware threads that share one

  bool operator==(const Cache&) const = default;
};

// The cores of one kind, where a machine has several (harness/kernel/core_kinds.h).
struct MachineCores {
  std::string kind;  // fast, middle, slow
  std::string type;  // `IntelCore`; empty: unknown
  std::uint32_t cores = 0;
  std::uint32_t hardware_threads = 0;
  std::uint32_t usable_threads = 0;  // that this process may run on
  std::uint32_t greatest_mhz = 0;    // 0: unknown

  bool operator==(const MachineCores&) const = default;
};

// `6 fast cores (IntelCore, 12 threads, at most 5,200 MHz)`, joined by "and".
std::string to_text(const std::vector<MachineCores>& kinds);

struct Machine {
  std::optional<std::string> id;    // its name in rows, see machine_identity.h
  std::optional<std::string> host;  // its name in the network; in a container, the container's name
  // A random number that the kernel draws when it starts: equal for all runs on one machine between
  // two boots.
  std::optional<std::string> boot_id;
  std::optional<std::string> cpu_model;
  std::optional<std::uint32_t> packages;
  std::optional<std::uint32_t> numa_nodes;
  std::optional<std::uint32_t> cores;
  std::optional<std::uint32_t> hardware_threads;
  std::optional<std::uint32_t> threads_per_core;  // absent if cores differ in it
  std::optional<std::uint32_t> usable_threads;    // threads that this process may run on
  // Limits of this process; absent: none, or an older version did not record it.
  std::optional<double> cpu_quota;    // of CPU time, in processors, if fewer than usable
  std::optional<std::string> cpuset;  // the usable hardware threads, if not all: 0-3,6
  std::optional<double> cpu_weight;   // if not the default: relative to it
  // The fastest first; absent if all cores are of one kind.
  std::optional<std::vector<MachineCores>> core_kinds;
  std::vector<Cache> caches;              // by level, then kind
  std::optional<std::string> governor;    // of processor 0's frequency
  std::optional<std::string> kernel;      // system, release and architecture
  std::optional<std::string> hypervisor;  // its name; "none" on bare metal
  std::optional<std::uint64_t> memory_bytes;

  bool operator==(const Machine&) const = default;
};

// Reads hwloc, /proc, /sys and the processor. This takes some milliseconds.
Machine read_machine();

namespace internal {

// The value of the first line `field : value` of /proc/cpuinfo.
std::optional<std::string> cpuinfo_field(std::string_view cpuinfo, std::string_view field);

// MemTotal of /proc/meminfo, in bytes.
std::optional<std::uint64_t> memory_total(std::string_view meminfo);

// The name for the twelve letters of a hypervisor's signature: `KVMKVMKVM` is KVM. An unknown
// signature stays unchanged.
std::string hypervisor_name(std::string_view signature);

}  // namespace internal

}  // namespace lockbench
