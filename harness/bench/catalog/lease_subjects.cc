// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/catalog/lease_lines.h"
#include "harness/bench/catalog/pair.h"
#include "harness/bench/catalog/subjects.h"

namespace lockbench {

void add_lease_subjects(Catalog& catalog) {
  visit_lease(PairWithWorkloads(catalog));
}

}  // namespace lockbench
