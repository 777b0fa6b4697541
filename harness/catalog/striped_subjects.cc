// SPDX-License-Identifier: Apache-2.0

#include "harness/catalog/pair.h"
#include "harness/catalog/striped_lines.h"
#include "harness/catalog/subjects.h"

namespace lockbench {

void add_striped_subjects(Catalog& catalog) {
  visit_striped(PairWithWorkloads(catalog));
}

}  // namespace lockbench
