// SPDX-License-Identifier: Apache-2.0

// The case of a place in an observed program. Pure.
#pragma once

#include <string>
#include <vector>

#include "harness/command/advise/advice_case.h"
#include "harness/command/observe/observed_place.h"

namespace lockbench {

struct ObservedCase {
  AdviceCase wanted;
  // How its workload differs from what the program does, a sentence each.
  std::vector<std::string> differences;
};

// A place of which a share is held together is a case of readers and writers; one in which a holder
// locks again in three of ten acquisitions or more is nested, at the depth whose share is nearest,
// with the total of holds and thinks that was observed; another one is a mutex.
ObservedCase case_of(const RecordedPlace& place);

}  // namespace lockbench
