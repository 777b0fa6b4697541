// SPDX-License-Identifier: Apache-2.0

// Question: what a user asks of a lock, and the case that it makes. Pure.
//
//   flags or dialog ─▶ Question ─▶ workload, its parameters and the kind of candidates
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "harness/base/quantity.h"
#include "harness/bench/command/advise/advice_case.h"

namespace lockbench {

struct Question {
  std::optional<double> reads;            // the share of the operations that only read, 0 to 1
  std::optional<std::uint32_t> nested;    // a holder locks again, so deep: kNestedRange
  std::optional<std::uint32_t> several;   // keys that are held at once
  std::optional<std::uint32_t> capacity;  // threads that may hold a key at once
  bool processes = false;                 // processes lock, not threads
  bool across_machines = false;           // several machines lock
  std::optional<Nanoseconds> timeout;     // an acquisition gives up after it
  std::optional<Nanoseconds> wait_limit;  // the p99 wait must stay below it
};

// How deep the workloads go that measure a holder that locks again.
inline constexpr CountRange kNestedRange{2, 5};
inline constexpr CountRange kCapacityRange{1, 65'536};

// The least share of writes that the workload of readers and writers can have: one in a round of
// its operations (workloads/operation_ring.h).
inline constexpr double kLeastWriteShare = 1.0 / 512;

// The kinds of question, as the dialog offers them: a word, and what it means.
struct NamedKind {
  QuestionKind kind;
  std::string word;
  std::string meaning;
};
const std::vector<NamedKind>& question_kinds();

// A time above 0 after which a wait is too long.
absl::StatusOr<Nanoseconds> parse_limit(std::string_view text);

// Writes the question into the case: its kind, the workload, the share of writes, the capacity, the
// timeout, the limit of waits; and the number of keys if it follows from the question.
// InvalidArgument if no primitive does what is asked, or no workload measures it; the message says
// why, and what is possible.
absl::Status pose(const Question& question, AdviceCase& wanted);

// How long the measurement may take if the user does not say it.
Nanoseconds usual_budget(QuestionKind kind);

// How the measured workload differs from the question, a sentence each; empty if it does not.
std::vector<std::string> differences_of(const Question& question);

}  // namespace lockbench
