// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/catalog/pair.h"
#include "harness/bench/catalog/reentrant_lines.h"
#include "harness/bench/catalog/subjects.h"

namespace lockbench {

void add_reentrant_subjects(Catalog& catalog) {
  visit_reentrant(PairWithWorkloads(catalog));
}

}  // namespace lockbench
