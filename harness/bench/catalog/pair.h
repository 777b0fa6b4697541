// SPDX-License-Identifier: Apache-2.0

// Pairs an entry of the catalog with the workloads that its primitive can run with.
#pragma once

#include "harness/bench/catalog/catalog.h"
#include "harness/bench/catalog/entry.h"
#include "harness/bench/catalog/line.h"
#include "harness/bench/catalog/workloads.h"
#include "workloads/database/transactions.h"

namespace lockbench {

struct EveryWorkload {
  template <class P, class K, class Visit>
  static void visit(Visit visit) {
    PluginWorkloads::visit<P, K>(visit);
    visit.template operator()<Transactions<P, K>>();
  }
};

// A visitor that adds each entry to `catalog`, with all workloads that it can run with.
class PairWithWorkloads {
 public:
  explicit PairWithWorkloads(Catalog& catalog) : catalog_(catalog) {}

  template <class P>
  void operator()(const Line<P>& line) const {
    catalog_.add(entry_of(line, EveryWorkload()));
  }

 private:
  Catalog& catalog_;
};

}  // namespace lockbench
