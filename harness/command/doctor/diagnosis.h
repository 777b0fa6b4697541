// SPDX-License-Identifier: Apache-2.0

// Diagnosis: what of a machine's facts spoils a measurement, how, and what mends it. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/command/doctor/system_facts.h"

namespace lockbench {

// In ascending order.
enum class Severity {
  kFine,    // looked at, nothing to say
  kNote,    // bends some figures, or keeps something from working: to be known
  kSpoils,  // numbers measured now mislead
};

std::string_view to_text(Severity severity);

struct Finding {
  Severity severity = Severity::kFine;
  std::string name;  // of what was looked at; one finding each
  std::string what;  // a few words, as for a list
  std::string how;   // it spoils a number; empty when fine
  std::string mend;  // a command, or what to do where none helps; empty when fine

  bool operator==(const Finding&) const = default;
};

// Shares of CPU time from which others spoil a measurement, and from which they are noted. A single
// clock tick tells nothing.
inline constexpr double kOthersSpoil = 0.05;
inline constexpr double kOthersNoted = 0.02;
inline constexpr double kStealSpoils = 0.02;

// Threads that a cell may ask for, and bytes that a long run may write.
inline constexpr std::uint64_t kThreadsWanted = 4096;
inline constexpr std::uint64_t kBytesWanted = 256u << 20;

// The most severe first. What the facts do not hold has no finding, but one that lists what ought
// to be known and is not.
std::vector<Finding> diagnose(const SystemFacts& facts);

// "2 things here spoil measurements: governor powersave; others use 60 % of the CPU; see lockbench
// doctor"; empty when none does.
std::string spoilers_line(const SystemFacts& facts);

}  // namespace lockbench
