// SPDX-License-Identifier: Apache-2.0

#include "harness/catalog/keyed_lines.h"
#include "harness/catalog/pair.h"
#include "harness/catalog/subjects.h"

namespace lockbench {

void add_keyed_subjects(Catalog& catalog) {
  visit_keyed(PairWithWorkloads(catalog));
}

}  // namespace lockbench
