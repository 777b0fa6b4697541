// SPDX-License-Identifier: Apache-2.0

// Preset: a named plan, written as sweeps over axes; and the changes that a command line makes to
// it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/bench/plan/cell.h"

namespace lockbench {

// A cross product of axes. An empty axis or an absent setting was not given; the comment beside it
// says which value is then used.
struct Sweep {
  std::vector<PrimitiveSpec> primitives;            // required
  std::vector<WorkloadSpec> workloads;              // counter
  std::vector<std::uint32_t> threads;               // 1
  std::vector<std::uint64_t> keys;                  // as many as assigned counts, else 1
  std::vector<KeyType> key_types;                   // u64
  std::vector<KeyDistribution> key_distributions;   // uniform
  std::vector<Work> holds;                          // 0
  std::vector<Work> thinks;                         // 0, unless `loads` determine it
  std::vector<std::optional<Load>> loads;           // none; absent in the list: saturated
  std::vector<std::optional<double>> write_shares;  // read_mostly: required there
  std::vector<std::string> pinnings;                // none
  std::vector<Nanoseconds> timeouts;                // 0: waits without a limit
  std::vector<std::uint64_t> rates;                 // open mode: required there

  std::optional<Mode> mode;                   // timed
  std::optional<std::uint64_t> operations;    // fixed mode, per thread: from assigned counts
  std::optional<ArrivalKind> arrivals;        // open mode: poisson
  std::optional<Nanoseconds> warmup;          // timed and open mode: 20ms, at least
  std::optional<Nanoseconds> window;          // timed mode: 100ms, at least; open mode: 1s
  std::optional<bool> watch_conflicts;        // false
  std::optional<bool> count_events;           // false; a flag of `run`, not a key of a file
  std::optional<std::uint32_t> sample_every;  // 64; open mode: 1
  std::optional<Nanoseconds> time_limit;      // from the cell, see limits.h

  std::string where;              // `quick.toml:12:1`; empty if it is in no file
  bool skip_unsupported = false;  // leaves out cells that make no sense; else they are errors
  bool every_load = false;        // each load must be reached in some cell: a user asks for it now
  // The warm-up and the window are taken as they are, however long holds and think times take: a
  // user asks for them now. Otherwise they are the least (see window.h).
  bool exact_warmup = false;
  bool exact_window = false;

  bool operator==(const Sweep&) const = default;
};

// Calls visit(axis, field) for each axis and the field of a cell that it varies. The last one
// varies fastest.
template <class Visit>
void for_each_axis(Visit visit) {
  visit(&Sweep::workloads, &Cell::workload);
  visit(&Sweep::key_types, &Cell::key_type);
  visit(&Sweep::key_distributions, &Cell::key_distribution);
  visit(&Sweep::holds, &Cell::hold);
  visit(&Sweep::thinks, &Cell::think);
  visit(&Sweep::loads, &Cell::load);
  visit(&Sweep::write_shares, &Cell::write_share);
  visit(&Sweep::pinnings, &Cell::pinning);
  visit(&Sweep::timeouts, &Cell::timeout);
  visit(&Sweep::rates, &Cell::rate_per_s);
  visit(&Sweep::keys, &Cell::keys);
  visit(&Sweep::threads, &Cell::threads);
  visit(&Sweep::primitives, &Cell::primitive);
}

// The same for settings, which have one value.
template <class Visit>
void for_each_setting(Visit visit) {
  visit(&Sweep::mode);
  visit(&Sweep::operations);
  visit(&Sweep::arrivals);
  visit(&Sweep::warmup);
  visit(&Sweep::window);
  visit(&Sweep::watch_conflicts);
  visit(&Sweep::count_events);
  visit(&Sweep::sample_every);
  visit(&Sweep::time_limit);
}

struct Preset {
  std::string name;
  std::string title;        // one line
  std::string description;  // its purpose, and how long it takes
  std::string target;       // class of machine that it is sized for; empty: any
  std::uint32_t blocks = 5;
  std::uint64_t seed = 1;
  std::vector<Sweep> sweeps;

  bool operator==(const Preset&) const = default;
};

// The contents of a command line. Each axis or setting that `sweep` gives replaces the preset's.
struct Overrides {
  Sweep sweep;
  std::optional<std::uint32_t> blocks;
  std::optional<std::uint64_t> seed;
};

// `base`, with every axis and setting that `over` gives replaced.
Sweep laid_over(Sweep base, const Sweep& over);

// The preset with the overrides in every sweep. Settings that belong to one mode apply to the
// sweeps in that mode; it is an error if there are none. If the primitives or the workloads are
// overridden, the cells in which they make no sense are left out (see expand.h).
absl::StatusOr<Preset> apply(Preset preset, const Overrides& overrides);

// The values that a sweep of one workload has if the user gives none. They come from the catalog.
struct SweepDefaults {
  // The first two are what the standard library offers: one std::mutex, and a table with one for
  // each key. The table of a run compares the others with the first.
  std::vector<PrimitiveSpec> primitives = {{"global", {{"lock", "std"}}},
                                           {"keyed_table", {}},
                                           {"global", {}},
                                           {"keyed", {}},
                                           {"striped", {}}};
  std::uint64_t keys = 64;
  KeyType key_type = KeyType::kU64;
  std::optional<double> write_share;
};

// A preset named `command line`, with one sweep for each workload that the overrides give. Values
// that they do not give come from `defaults_for`; in addition 1, 2, 4 and 8 threads, 200 ns of hold
// and, in fixed mode, 1,000 operations. Shares of writes are for the workloads that take them, if
// there are any.
Preset preset_from(const Overrides& overrides,
                   const std::function<SweepDefaults(const WorkloadSpec&)>& defaults_for);

}  // namespace lockbench
