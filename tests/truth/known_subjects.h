// SPDX-License-Identifier: Apache-2.0

// The known locks, paired with the one workload that they are measured under.
#pragma once

#include "harness/bench/catalog/catalog.h"

namespace lockbench {

void add_known_subjects(Catalog& catalog);

}  // namespace lockbench
