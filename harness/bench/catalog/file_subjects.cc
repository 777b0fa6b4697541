// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/catalog/file_lines.h"
#include "harness/bench/catalog/pair.h"
#include "harness/bench/catalog/subjects.h"

namespace lockbench {

void add_file_subjects(Catalog& catalog) {
  visit_file(PairWithWorkloads(catalog));
}

}  // namespace lockbench
