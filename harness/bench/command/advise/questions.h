// SPDX-License-Identifier: Apache-2.0

// Questions: asks the user for the case for `lockbench advise`, one question at a time.
#pragma once

#include <functional>
#include <istream>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "harness/bench/command/advise/advice_case.h"
#include "harness/bench/command/advise/question.h"

namespace lockbench {

// The facts that the answers depend on.
struct AskedAbout {
  std::uint32_t processors = 1;       // of this machine
  std::vector<std::string> machines;  // the names of machine models
  // The names of the kinds of cores of a machine model, or of this machine if the name is empty,
  // the fastest first; empty if they are of one kind.
  std::function<std::vector<std::string>(const std::string& machine)> kinds;
  // OK if this machine can do what a case says; and OK if it can measure it within a budget.
  std::function<absl::Status(const AdviceCase&)> possible;
  std::function<absl::Status(const AdviceCase&, Nanoseconds)> affordable;
};

struct Asked {
  AdviceCase wanted;  // with its question posed
  Question question;
  std::string machine;                // empty: this one
  std::optional<Nanoseconds> budget;  // absent: the usual one of the question
};

// Asks for the kind of the question first, then for what it depends on. Prints questions to `out`
// and reads one line of `in` for each answer. An empty line means the value
// in brackets, which for the budget is that of `asked`. After an invalid or impossible
// answer, it prints an explanation and asks again. InvalidArgument if `in` ends before the last
// answer.
absl::Status ask_case(std::istream& in, std::ostream& out, const AskedAbout& about, Asked& asked);

}  // namespace lockbench
