// SPDX-License-Identifier: Apache-2.0

#include "harness/catalog/lease_lines.h"
#include "harness/catalog/pair.h"
#include "harness/catalog/subjects.h"

namespace lockbench {

void add_lease_subjects(Catalog& catalog) {
  visit_lease(PairWithWorkloads(catalog));
}

}  // namespace lockbench
