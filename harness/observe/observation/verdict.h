// SPDX-License-Identifier: Apache-2.0

// Verdict: whether a program's locks are its problem, as far as the observation can say. Pure. All
// sources of observations, tables and pages have their words from here.
#pragma once

#include <string>
#include <vector>

#include "harness/observe/observation/observation.h"

namespace lockbench {

// If the program could gain less than this share of its time, its locks are not its problem. A
// process that has less of the program's time or of its processor time is too small to matter.
inline constexpr double kProblemFrom = 0.05;

enum class VerdictKind {
  kNotSeen,        // what did the work was not observed
  kPartlySeen,     // what was observed shows no problem, but not all was observed
  kNotTheProblem,  // all was observed
  kMayCost,        // waits alone do not tell how much
};

struct Verdict {
  VerdictKind kind = VerdictKind::kNotSeen;
  std::string answer;              // a sentence
  std::vector<std::string> notes;  // sentences: what was seen, and what was not
};

// `not_seen`, `partly_seen`, `not_the_problem`, `may_cost`.
std::string to_text(VerdictKind kind);

// A share of the program's time: of its processes, and of all runs.
double greatest_gain(const Observation& observation);

// `program`: as the user named it.
Verdict verdict_of(const Observation& observation, const std::string& program);

// Says what the locks of one process cost at most.
std::string process_text(const ObservedProcess& process);

}  // namespace lockbench
