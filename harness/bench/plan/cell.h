// SPDX-License-Identifier: Apache-2.0

// Cell and Trial: one point of a sweep, and one measurement of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "workloads/settings.h"

namespace lockbench {

// A primitive as users write it: `striped:lock=std,stripes=64`.
struct PrimitiveSpec {
  std::string name;
  std::map<std::string, std::string> parameters;  // sorted: equal primitives have equal text

  bool operator==(const PrimitiveSpec&) const = default;
};

// A workload as users write it: `counter`, `nested:mixed_lock_unlock`, `checkout:second_lease`.
struct WorkloadSpec {
  std::string name;
  std::string scenario;  // empty if the workload has none

  bool operator==(const WorkloadSpec&) const = default;
};

enum class Mode {
  kTimed,  // every thread works until the window has passed
  kFixed,  // every thread does its number of operations, and the makespan is measured
  kOpen,   // operations are due at a given rate, whether or not earlier ones have ended
  kMicro,  // used by lockbench-micro only: Google Benchmark decides how often
};

// How the operations of an open loop are spread over time.
enum class ArrivalKind {
  kPoisson,  // independent of each other: gaps are exponentially distributed
  kFixed,    // evenly
};

// How busy the busiest key would be if waiting and locking took no time; see load.h. It determines
// the think time.
struct Load {
  double share = 0;     // of the time, above 0 to 1
  bool sleeps = false;  // the think time is slept, as by threads that wait for requests

  bool operator==(const Load&) const = default;
};

// The workload of a sweep if the user names none.
inline constexpr char kDefaultWorkload[] = "counter";

// One point of a sweep: everything that its measurement depends on, and nothing else.
struct Cell {
  PrimitiveSpec primitive;
  WorkloadSpec workload;
  Mode mode = Mode::kTimed;
  std::uint32_t threads = 1;  // 1 to kMaxThreads
  std::uint64_t keys = 1;     // 1 to kMaxKeys
  KeyType key_type = KeyType::kU64;
  KeyDistribution key_distribution;
  Work hold;
  Work think;
  std::optional<Load> load;           // that determined `think`; absent: the user wrote `think`
  std::optional<double> write_share;  // of the operations, 0 to 1; absent: the workload only writes
  std::string pinning = "none";       // how threads are bound to processors
  Nanoseconds timeout{0};             // of one acquisition; 0: none
  Nanoseconds warmup{0};
  Nanoseconds window{0};                         // timed mode only
  std::uint64_t operations = 0;                  // per thread, fixed mode only
  std::uint64_t rate_per_s = 0;                  // open mode: arrivals of all threads together
  ArrivalKind arrivals = ArrivalKind::kPoisson;  // open mode
  bool watch_conflicts = false;     // records whether a hashed lock was held for another key
  bool count_events = false;        // counts cycles, cache misses, … of its threads
  std::uint32_t sample_every = 64;  // which waits are timed: a random 1 in n; 1: each; 0: none
  Nanoseconds stall_limit{0};       // after this time without progress it is a deadlock; 0: never
  Nanoseconds time_limit{0};        // for the whole trial; after it the outcome is `timeout`
  std::string machine;              // the modelled machine that it runs on; empty: this one

  static constexpr std::uint32_t kMaxThreads = 4096;
  static constexpr std::uint64_t kMaxKeys = 1ULL << 30;

  bool operator==(const Cell&) const = default;
};

// One cell measured once.
struct Trial {
  std::uint32_t number = 0;    // index in the plan, from 0
  std::uint32_t block = 0;     // number of the repetition, from 0
  std::uint32_t position = 0;  // index in the block, from 0
  std::uint64_t seed = 0;      // equal for all cells of a block, so that they draw the same keys
  Cell cell;
  // Where the pace of its spins is measured: a processor of the fastest kind of core. Absent in a
  // plan, and if all cores are of one kind: anywhere.
  std::optional<int> fast_processor = {};

  bool operator==(const Trial&) const = default;
};

// The ordered list of trials that a preset expands to.
struct Plan {
  std::string preset;  // name, or "command line"
  // The title of the preset, one line; absent: none, or an older version did not record it.
  std::optional<std::string> title;
  std::string target;  // machine class that the preset is sized for; empty: any
  // Which cells got longer windows than they were asked with, one line; absent: none.
  std::optional<std::string> windows;
  std::uint64_t seed = 1;
  std::uint32_t blocks = 1;
  std::vector<Trial> trials;

  bool operator==(const Plan&) const = default;
};

}  // namespace lockbench
