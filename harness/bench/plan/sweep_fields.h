// SPDX-License-Identifier: Apache-2.0

// Sweep fields: one table of the fields of a sweep, for files and flags alike.
//
// A field has the name of the CSV column: `key_type` in a file, --key-type as a flag.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <absl/status/status.h>

#include "harness/base/quantity.h"
#include "harness/bench/plan/preset.h"

namespace lockbench {

struct SweepField {
  std::string_view name;
  bool axis;                 // takes several values; otherwise it is a setting with one value
  std::string_view wants;    // the values that it accepts, for --help and for errors
  std::string_view usual;    // the value if none is given
  std::string_view example;  // as it is written in a preset file
  // Parses `text` and adds the values to an axis, or sets the setting. The error says what is wrong
  // and what would be right; the caller adds where.
  absl::Status (*add)(Sweep& sweep, std::string_view text);
};

// All fields, in the order of the columns.
std::span<const SweepField> sweep_fields();

// Null if there is no field of this name.
const SweepField* find_sweep_field(std::string_view name);

inline constexpr CountRange kThreadRange{1, Cell::kMaxThreads};
inline constexpr CountRange kKeyRange{1, Cell::kMaxKeys};
inline constexpr CountRange kRateRange{1, 1'000'000'000};
inline constexpr CountRange kOperationRange{1, 1'000'000'000'000};
inline constexpr CountRange kSampleEveryRange{0, 1'000'000'000};
inline constexpr CountRange kBlockRange{1, 10'000};
// The range that every reader of JSON and CSV represents exactly: R and JavaScript have only
// doubles.
inline constexpr CountRange kSeedRange{0, (std::uint64_t{1} << 53) - 1};

}  // namespace lockbench
