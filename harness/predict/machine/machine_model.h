// SPDX-License-Identifier: Apache-2.0

// MachineModel: what accesses and system calls cost on one machine, as numbers.
//
// The model has processors (hardware threads) in cores. A cache line moves between two cores in the
// time that the latency matrix gives. Frequency, power, memory channels, prefetching and the
// capacity of caches are not part of the model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lockbench::machine {

// Virtual time. Costs are fractions of a nanosecond, and sums of floating-point numbers would
// depend on their order.
using Picoseconds = std::int64_t;

inline constexpr Picoseconds kPerNanosecond = 1000;

// Where figures of a machine come from.
struct Source {
  std::string author;
  std::string title;
  std::int64_t year = 0;
  std::string figures;  // which figures were taken from it

  bool operator==(const Source&) const = default;
};

// The costs of one access for a processor, in addition to the transfer of its line.
struct AccessCosts {
  Picoseconds hit = 0;        // a load of a line that the processor has
  Picoseconds store = 0;      // a store, which goes to the store buffer
  Picoseconds rmw = 0;        // an atomic read-modify-write, or a fence, of a line that it owns
  Picoseconds memory = 0;     // the transfer of a line that no cache has
  Picoseconds pause = 0;      // one pause of a thread that polls
  Picoseconds clock = 0;      // one reading of the clock
  Picoseconds operation = 0;  // the rest of an operation: the key, the handle, the loop
  // How much of its own time a processor works ahead while it waits for a line: requests for other
  // lines that are due within it are sent meanwhile. 0: it does nothing before the line is there.
  Picoseconds lookahead = 0;

  bool operator==(const AccessCosts&) const = default;
};

// The operating system.
struct SchedulerCosts {
  Picoseconds slice = 0;        // how long a thread runs while others wait for its processor
  Picoseconds granularity = 0;  // the same if one that was just woken waits for it
  Picoseconds context_switch = 0;
  Picoseconds yield = 0;
  Picoseconds futex_call = 0;  // a futex call that neither sleeps nor wakes
  Picoseconds futex_wait = 0;  // from the call until the processor is free for another thread
  Picoseconds futex_wake = 0;  // for the thread that wakes another, each
  Picoseconds wakeup = 0;      // from the wake-up until the woken thread runs, on an idle processor
  Picoseconds membarrier = 0;  // for the caller, if threads run on other processors
  Picoseconds interrupt = 0;   // for each of these threads

  bool operator==(const SchedulerCosts&) const = default;
};

// Cores that are alike. Source of the speeds: as `calibration.core_speeds` of a run, which
// lockbench measures with its own loop.
struct KindOfCores {
  std::string name;  // by its position in the list (core_kind_name.h), as in --pinning kind:slow
  std::uint32_t cores = 0;
  std::uint32_t threads_per_core = 1;  // 1 or 2
  double speed = 1;                    // of computing, against the fastest kind: 1 at most

  bool operator==(const KindOfCores&) const = default;
};

struct MachineModel {
  std::string name;   // of the file, without `.toml`
  std::string title;  // one line
  std::vector<Source> sources;

  std::uint32_t sockets = 1;
  std::uint32_t clusters_per_socket = 1;  // groups of cores that share a last-level cache
  std::uint32_t cores_per_cluster = 1;
  std::uint32_t threads_per_core = 1;  // at most, if there are kinds
  // The fastest first, and those with two hardware threads before those with one: so the cores of
  // the first kind have the first numbers. Empty: all cores are alike.
  std::vector<KindOfCores> kinds;

  // Symmetric, with zeros on the diagonal: [a * cores() + b] is the time in which a line that core
  // `b` has modified comes to core `a`.
  std::vector<Picoseconds> latency;
  Picoseconds sibling_latency = 0;  // the same between two processors of one core
  // The share of these times that a transfer takes if its line was not transferred just before.
  // Latencies are measured as handovers, in which each request finds the one before it under way.
  double quiet = 1;
  // A read of a line that another processor has written takes it, as a write does, so that a write
  // which follows has the line already. Else the read makes a copy.
  bool reads_take = false;
  double smt_slowdown = 1;  // of hits and pauses while the sibling processor is busy

  AccessCosts access;
  SchedulerCosts scheduler;

  static constexpr double kLeastQuiet = 0.05;
  static constexpr double kLeastSpeed = 0.01;
  static constexpr std::uint32_t kMostProcessors = 512;
  // The maximum of one cost. With it, the times of all accesses fit into 64 bits.
  static constexpr double kMostNs = 1e7;

  std::uint32_t cores() const { return sockets * clusters_per_socket * cores_per_cluster; }
  std::uint32_t processors() const {
    if (kinds.empty()) return cores() * threads_per_core;
    std::uint32_t sum = 0;
    for (const KindOfCores& kind : kinds) sum += kind.cores * kind.threads_per_core;
    return sum;
  }
  // Processor p is hardware thread p / cores() of core p % cores(). So the first processors are
  // separate cores, as kernels fill them.
  std::uint32_t core_of(std::uint32_t processor) const { return processor % cores(); }
  // Clusters of all sockets are counted.
  std::uint32_t cluster_of(std::uint32_t processor) const {
    return core_of(processor) / cores_per_cluster;
  }

  // From 0, the fastest kind.
  std::uint32_t rank_of(std::uint32_t processor) const {
    std::uint32_t rank = 0;
    std::uint32_t first = 0;
    while (rank + 1 < kinds.size() && core_of(processor) >= first + kinds[rank].cores) {
      first += kinds[rank++].cores;
    }
    return rank;
  }
  // Against the fastest kind.
  double speed_of(std::uint32_t processor) const {
    return kinds.empty() ? 1 : kinds[rank_of(processor)].speed;
  }

  // The time in which a line comes from one processor to another.
  Picoseconds between(std::uint32_t a, std::uint32_t b) const {
    if (a == b) return 0;
    const std::uint32_t core_a = core_of(a);
    const std::uint32_t core_b = core_of(b);
    return core_a == core_b ? sibling_latency : latency[std::size_t{core_a} * cores() + core_b];
  }

  bool operator==(const MachineModel&) const = default;
};

}  // namespace lockbench::machine
