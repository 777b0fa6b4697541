// SPDX-License-Identifier: Apache-2.0

// What predictions add to `advise`: answers for machines that are models.
#pragma once

#include "harness/bench/command/advise/advise_command.h"

namespace lockbench {

AnswersForModels answers_by_prediction();

}  // namespace lockbench
