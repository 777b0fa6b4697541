// SPDX-License-Identifier: Apache-2.0

// The part of `advise` that predictions add: answers for machines that are models.
#pragma once

#include "harness/bench/command/advise/advise_command.h"

namespace lockbench {

AnswersForMachineModels answers_by_prediction();

}  // namespace lockbench
