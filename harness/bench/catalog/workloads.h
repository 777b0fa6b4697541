// SPDX-License-Identifier: Apache-2.0

// The workloads that a primitive is compiled with.
#pragma once

#include "workloads/accounts.h"
#include "workloads/checkout.h"
#include "workloads/counter.h"
#include "workloads/file_counter.h"
#include "workloads/nested.h"
#include "workloads/read_mostly.h"
#include "workloads/service_counter.h"
#include "workloads/transfer.h"

namespace lockbench {

// All but those with databases, which only lockbench's own primitives run with.
struct PluginWorkloads {
  template <class P, class K, class Visit>
  static void visit(Visit visit) {
    visit.template operator()<Counter<P, K>>();
    visit.template operator()<Accounts<P, K>>();
    visit.template operator()<ReadMostly<P, K>>();
    visit.template operator()<Transfer<P, K>>();
    visit.template operator()<Nested<P, K>>();
    visit.template operator()<Checkout<P, K>>();
    visit.template operator()<FileCounter<P, K>>();
    visit.template operator()<ServiceCounter<P, K>>();
  }
};

}  // namespace lockbench
