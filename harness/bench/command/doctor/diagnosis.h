// SPDX-License-Identifier: Apache-2.0

// Diagnosis: which facts of a machine falsify measurements, how, and what helps. Pure.
//
// FindingText: findings as text for users.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/names.h"
#include "harness/bench/command/doctor/system_facts.h"

namespace lockbench {

// In ascending order.
enum class Severity {
  kFine,     // checked, no effect
  kNote,     // affects some figures, or something does not work
  kProblem,  // figures measured now are misleading
};

inline constexpr Named<Severity> kSeverities[] = {
    {"fine", Severity::kFine}, {"note", Severity::kNote}, {"problem", Severity::kProblem}};

struct Finding {
  Severity severity = Severity::kFine;
  std::string name;    // of the check; unique
  std::string what;    // a few words, for a list
  std::string effect;  // on measurements; empty if fine
  std::string fix;     // a command, or advice if no command helps; empty if fine

  bool operator==(const Finding&) const = default;
};

// Shares of CPU time used by other processes, and by the host.
inline constexpr double kOthersProblem = 0.05;
inline constexpr double kOthersNoted = 0.02;
inline constexpr double kStealProblem = 0.02;

// Threads that a cell may have, and bytes that a long run may write.
inline constexpr std::uint64_t kThreadsWanted = 4096;
inline constexpr std::uint64_t kBytesWanted = 256u << 20;

// The most severe first. One finding lists the facts that matter and are unknown.
std::vector<Finding> diagnose(const SystemFacts& facts);

std::uint32_t number_of(const std::vector<Finding>& findings, Severity severity);

// "2 problems, 1 note".
std::string problems_and_notes(const std::vector<Finding>& findings);

// "2 problems affect measurements here: governor powersave; other processes use 60 % of the CPU;
// see lockbench doctor"; empty if there is none.
std::string problems_line(const SystemFacts& facts);

// A block for a problem or a note; a line for what is fine.
std::string finding_text(const Finding& finding);

// A summary, a block for each problem and note in the order given, and a line for the rest.
std::string findings_text(const std::vector<Finding>& findings);

}  // namespace lockbench
