// SPDX-License-Identifier: Apache-2.0

// The case of a place in an observed program.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <absl/status/statusor.h>
#include <nlohmann/json_fwd.hpp>

#include "harness/bench/command/advise/advice_case.h"
#include "harness/bench/command/advise/case_answer.h"
#include "harness/cli/command.h"
#include "harness/observe/observation/observed_place.h"

namespace lockbench {

struct ObservedCase {
  AdviceCase wanted;
  // How its workload differs from what the program does, a sentence each.
  std::vector<std::string> differences;
};

// A place of which a share is held together is a case of readers and writers; one in which a holder
// locks again in three of ten acquisitions or more is nested, at the depth whose share is nearest,
// with the total of holds and thinks that was observed; another one is a mutex. Pure.
ObservedCase case_of(const RecordedPlace& place);

// The case of a place of the observation in `folder`, as recorded_place() numbers them. An error as
// recorded_place().
absl::StatusOr<CaseAnswer> answer_of(const std::filesystem::path& folder, std::size_t number);

// The command that prints it, and what `advise` has to know of it (case_source.h).
inline constexpr char kObservedCase[] = "observed-case";
void add_observed_case(Commands& all);
nlohmann::json described_case_source();

}  // namespace lockbench
