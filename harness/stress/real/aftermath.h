// SPDX-License-Identifier: Apache-2.0

// Aftermath: what an epoch leaves, looked at when its threads have gone.
#pragma once

#include <memory>
#include <vector>

#include "harness/stress/real/board.h"
#include "harness/stress/real/stage.h"
#include "harness/stress/real/worker.h"

namespace lockbench::stress::real {

// Conservation, residue, a pristine state, an order that explains the history, independence of
// keys. Returns when all is well; else convicts.
void look_at_what_is_left(Stage& stage, const std::vector<std::unique_ptr<Worker>>& workers);

}  // namespace lockbench::stress::real
