// SPDX-License-Identifier: Apache-2.0

// Sweep fields: one table of what a sweep can say, for files and flags alike.
//
// A field is spelt as the column of the CSV: `key_type` in a file, --key-type as a flag.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <absl/status/status.h>

#include "harness/plan/preset.h"
#include "harness/plan/quantity.h"

namespace lockbench {

struct SweepField {
  std::string_view name;
  bool axis;               // takes several values; else it is a setting, given once
  std::string_view wants;  // what may be written, for --help and for errors
  std::string_view usual;  // what it is if nothing is given
  // Parses `text` and adds what it says to an axis, or makes it the setting. The error says what
  // was wrong and what would be right; where, is for the caller to put before.
  absl::Status (*add)(Sweep& sweep, std::string_view text);
};

// All fields, in the order of the columns.
std::span<const SweepField> sweep_fields();

// Null when there is no such field.
const SweepField* find_sweep_field(std::string_view name);

inline constexpr CountRange kThreadRange{1, Cell::kMaxThreads};
inline constexpr CountRange kKeyRange{1, Cell::kMaxKeys};
inline constexpr CountRange kRateRange{1, 1'000'000'000};
inline constexpr CountRange kOperationRange{1, 1'000'000'000'000};
inline constexpr CountRange kSampleEveryRange{0, 1'000'000'000};
inline constexpr CountRange kBlockRange{1, 10'000};
// What every reader of JSON and CSV keeps exactly: R and JavaScript have doubles only.
inline constexpr CountRange kSeedRange{0, (std::uint64_t{1} << 53) - 1};

}  // namespace lockbench
