// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/catalog/global_lines.h"
#include "harness/bench/catalog/pair.h"
#include "harness/bench/catalog/subjects.h"

namespace lockbench {

void add_global_subjects(Catalog& catalog) {
  visit_global(PairWithWorkloads(catalog));
}

}  // namespace lockbench
