// SPDX-License-Identifier: Apache-2.0

// Meta: the contents of meta.json, with which a run can be checked, resumed and repeated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/bench/measure/calibration.h"
#include "harness/bench/plan/cell.h"
#include "harness/bench/plan/shard.h"
#include "harness/bench/record/build.h"
#include "harness/bench/record/machine.h"
#include "harness/bench/record/row.h"
#include "harness/bench/record/surroundings.h"

namespace lockbench {

// How far a run has come.
struct RunEnd {
  enum class State {
    kRunning,      // it is in progress, or it was killed
    kFinished,     // every trial of the plan has a row
    kInterrupted,  // it was stopped, and can be resumed
  };

  State state = State::kRunning;
  std::uint32_t trials_done = 0;
  double wall_s = 0;  // of all its sessions that ended normally

  bool operator==(const RunEnd&) const = default;
};

// One of the runs that a merged run consists of: a shard, on one machine.
struct RunPart {
  std::string run_id;
  std::optional<Shard> shard;
  std::string started_at;
  std::string command;
  std::string machine;  // id of one of Meta::machines
  std::optional<Calibration> calibration;
  std::optional<Surroundings> surroundings;
  RunEnd end;
  std::optional<std::string> boot_id;  // of its machine, see machine.h
  // The times of its measurements: `2025-01-31T23:59:59Z/2025-02-01T00:10:00Z`, ascending.
  std::vector<std::string> periods;

  bool operator==(const RunPart&) const = default;
};

// Two parts that were measured on one machine at the same time, so that each disturbed the other.
struct PartOverlap {
  std::string machine;
  std::vector<std::string> run_ids;  // two
  double overlap_s = 0;

  bool operator==(const PartOverlap&) const = default;
};

struct Meta {
  RunIdentity run;
  std::string started_at;  // UTC, ISO 8601
  std::string command;     // a shell command that repeats the run
  Machine machine;
  Build build;
  std::optional<std::vector<PluginRecord>> plugins;  // that the plan measures; absent: none
  std::optional<Calibration> calibration;            // absent if our own loop measured nothing
  std::optional<Surroundings> surroundings;          // absent if it was not checked
  RunEnd end;
  std::optional<Shard> shard;  // of `plan`, which is the whole plan; absent: all of it
  // Set for a merged run. `machine` above is then the first of `machines`, for readers that expect
  // one.
  std::optional<std::vector<Machine>> machines;
  std::optional<std::vector<RunPart>> parts;
  std::optional<std::vector<PartOverlap>> overlaps;
  Plan plan;

  bool operator==(const Meta&) const = default;
};

// The text of meta.json. This function computes whether the machine matches the target, and the
// plan's hash.
std::string meta_text(const Meta& meta);

// The fingerprint of the plan's JSON, which all shards of a plan have in common.
std::string plan_hash(const Plan& plan);

// InvalidArgument names the field that is missing, of a wrong type or unknown. FailedPrecondition:
// the schema version is not the one of this program. Errors call the text `name`.
absl::StatusOr<Meta> parse_meta(std::string_view text, std::string_view name);

// A meta.json without the trials of its plan, which may be far longer than the rest.
struct MetaHead {
  Meta meta;              // its plan is empty
  std::string plan_hash;  // as recorded; computed if the run is older than this field
};

// As parse_meta(). A text that meta_text() wrote is parsed only up to its plan, but its end is
// checked.
absl::StatusOr<MetaHead> parse_meta_head(std::string_view text, std::string_view name);

// The first member in which two builds differ, as `commit 0123 and 4567`; empty if they are equal.
std::string build_difference(const Build& one, const Build& other);

// The same of what measured a run: the build of lockbench, and the files of the plug-ins that it
// measures. Their folders may differ.
using Plugins = std::optional<std::vector<PluginRecord>>;
std::string build_difference(const Meta& recorded, const Build& build, const Plugins& plugins);

// Why rows that are measured by `build` with `plugins` on `machine` must not be added to those of
// `recorded`, in one line; empty if they may.
std::string why_not_resume(const Meta& recorded, const Machine& machine, const Build& build,
                           const Plugins& plugins);

}  // namespace lockbench
