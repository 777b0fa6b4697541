// SPDX-License-Identifier: Apache-2.0

// Pairs an entry of the catalog with the workloads that its primitive can run with.
#pragma once

#include "harness/catalog/catalog.h"
#include "harness/catalog/entry.h"
#include "harness/catalog/line.h"
#include "workloads/accounts.h"
#include "workloads/checkout.h"
#include "workloads/counter.h"
#include "workloads/database/transactions.h"
#include "workloads/file_counter.h"
#include "workloads/nested.h"
#include "workloads/read_mostly.h"
#include "workloads/service_counter.h"
#include "workloads/transfer.h"

namespace lockbench {

struct EveryWorkload {
  template <class P, class K, class Visit>
  static void visit(Visit visit) {
    visit.template operator()<Counter<P, K>>();
    visit.template operator()<Accounts<P, K>>();
    visit.template operator()<ReadMostly<P, K>>();
    visit.template operator()<Transfer<P, K>>();
    visit.template operator()<Nested<P, K>>();
    visit.template operator()<Checkout<P, K>>();
    visit.template operator()<Transactions<P, K>>();
    visit.template operator()<FileCounter<P, K>>();
    visit.template operator()<ServiceCounter<P, K>>();
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
