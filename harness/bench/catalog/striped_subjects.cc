// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/catalog/pair.h"
#include "harness/bench/catalog/striped_lines.h"
#include "harness/bench/catalog/subjects.h"

namespace lockbench {

void add_striped_subjects(Catalog& catalog) {
  visit_striped(PairWithWorkloads(catalog));
}

}  // namespace lockbench
