// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/catalog/keyed_lines.h"
#include "harness/bench/catalog/pair.h"
#include "harness/bench/catalog/subjects.h"

namespace lockbench {

void add_keyed_subjects(Catalog& catalog) {
  visit_keyed(PairWithWorkloads(catalog));
}

}  // namespace lockbench
