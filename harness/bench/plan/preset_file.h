// SPDX-License-Identifier: Apache-2.0

// Preset files: reads a preset from TOML.
//
//   title = "Throughput by threads"            # required
//   description = "What it teaches."
//   target = "i7-1165G7"                       # machine class; any when left out
//   blocks = 5                                 # repetitions
//   seed = 1
//   window = "100ms"                           # a sweep's field here holds for all sweeps
//
//   [[sweep]]
//   primitive = ["global", "striped:stripes=64"]
//   threads = [1, 2, "4..16"]
//   hold = "200ns"
//
// The fields of a sweep are listed in sweep_fields.h. An axis has one value or an array of values;
// each value is written as on the command line. A file without [[sweep]] is itself one sweep.
// docs/presets.md lists all keys.
//
// PresetTemplate: a preset that runs as it is, with every key and its meaning, for users to edit.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "harness/bench/plan/preset.h"

namespace lockbench {

// A key at the top of a file that is not a key of sweeps.
struct PresetKey {
  std::string_view name;
  std::string_view wants;    // the values that it accepts
  std::string_view usual;    // the value if none is given
  std::string_view example;  // as it is written in the file
};

// All keys except `sweep`.
std::span<const PresetKey> preset_keys();

// The name of the preset is the name of the file, without folder and `.toml`. Errors begin with
// `file_name:line:column:`.
absl::StatusOr<Preset> parse_preset(std::string_view toml, std::string_view file_name);

// Pure. Its first comment calls the file FILE.toml.
std::string preset_template();

}  // namespace lockbench
