// SPDX-License-Identifier: Apache-2.0

// Meta: what meta.json holds, so that a run can be judged, resumed and repeated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/measure/calibration.h"
#include "harness/plan/cell.h"
#include "harness/record/build.h"
#include "harness/record/machine.h"
#include "harness/record/row.h"
#include "harness/record/surroundings.h"

namespace lockbench {

// How far a run came.
struct RunEnd {
  enum class State {
    kRunning,      // it goes on, or it was killed
    kFinished,     // every trial of the plan has its row
    kInterrupted,  // it was stopped, and can be resumed
  };

  State state = State::kRunning;
  std::uint32_t trials_done = 0;
  double wall_s = 0;  // of all its sessions that ended in good order

  bool operator==(const RunEnd&) const = default;
};

struct Meta {
  RunIdentity run;
  std::string started_at;  // UTC, ISO 8601
  std::string command;     // repeats the run when given to a shell
  Machine machine;
  Build build;
  std::optional<Calibration> calibration;    // absent where nothing was measured by our own loop
  std::optional<Surroundings> surroundings;  // absent if it was not checked
  RunEnd end;
  Plan plan;

  bool operator==(const Meta&) const = default;
};

// The text of meta.json. Whether the machine matches the target is worked out here.
std::string meta_text(const Meta& meta);

// InvalidArgument names the field that is missing, of a wrong type or unknown; FailedPrecondition
// tells of a schema version that is not ours. `name` stands for the text in errors.
absl::StatusOr<Meta> parse_meta(std::string_view text, std::string_view name);

// Why rows measured by `build` on `machine` must not join those of `recorded`, in one line; empty
// if they may.
std::string why_not_resume(const Meta& recorded, const Machine& machine, const Build& build);

// The words as one command line for a POSIX shell.
std::string shell_command(const std::vector<std::string>& words);

}  // namespace lockbench
