// SPDX-License-Identifier: Apache-2.0

// Surroundings: what else the machine did during a run, as meta.json records it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lockbench {

// The findings of `lockbench doctor`, in short form.
struct MachineFinding {
  std::string severity;  // note or problem; in runs of older versions: spoils
  std::string name;
  std::string what;

  bool operator==(const MachineFinding&) const = default;
};

struct Surroundings {
  double most_interference = 0;     // limit, see DisturbanceLimits
  double patience_s = 0;            // how long the run would wait for a quiet machine
  double waited_s = 0;              // how long the run waited
  std::optional<std::string> busy;  // why it measured a busy machine; absent: it was not busy
  std::vector<MachineFinding> at_start;
  std::vector<MachineFinding> at_end;

  bool operator==(const Surroundings&) const = default;
};

}  // namespace lockbench
