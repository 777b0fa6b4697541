// SPDX-License-Identifier: Apache-2.0

// The case of a place in an observed program.
#pragma once

#include <cstddef>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "harness/bench/command/advise/advice_case.h"
#include "harness/bench/command/advise/case_source.h"
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

// Makes the case that of a place of the observation in `folder`, as recorded_place() numbers them,
// and keeps its limits of memory and fairness, and its two primitives. Writes the name of the place
// and the differences to `out`. An error as recorded_place().
absl::Status take_place(const std::filesystem::path& folder, std::size_t number, AdviceCase& wanted,
                        std::ostream& out);

// For `advise`: the case is the load of the place that --observed and --place name.
CaseSource case_of_place();

}  // namespace lockbench
