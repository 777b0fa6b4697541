// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/catalog/pair.h"
#include "harness/bench/catalog/shared_lines.h"
#include "harness/bench/catalog/subjects.h"

namespace lockbench {
namespace {

// The locks of others are there to be compared where there are readers.
struct Reading {
  template <class P, class K, class Visit>
  static void visit(Visit visit) {
    visit.template operator()<ReadMostly<P, K>>();
  }
};

}  // namespace

void add_shared_subjects(Catalog& catalog) {
  visit_shared(PairWithWorkloads(catalog));
  visit_shared_peers(
      [&catalog]<class P>(const Line<P>& line) { catalog.add(entry_of(line, Reading())); });
}

}  // namespace lockbench
