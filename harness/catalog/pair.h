// Pairing a line of the catalog with the workloads that its primitive can carry.
#pragma once

#include <concepts>

#include "harness/catalog/catalog.h"
#include "harness/catalog/lines.h"
#include "harness/measure/subject.h"
#include "workloads/accounts.h"
#include "workloads/checkout.h"
#include "workloads/counter.h"
#include "workloads/database/transactions.h"
#include "workloads/file_counter.h"
#include "workloads/nested.h"
#include "workloads/transfer.h"

namespace lockbench {

// Calls visit.operator()<Workload<P, K>>() for every workload there is.
template <class P, class K, class Visit>
void for_each_workload(Visit visit) {
  visit.template operator()<Counter<P, K>>();
  visit.template operator()<Accounts<P, K>>();
  visit.template operator()<Transfer<P, K>>();
  visit.template operator()<Nested<P, K>>();
  visit.template operator()<Checkout<P, K>>();
  visit.template operator()<Transactions<P, K>>();
  visit.template operator()<FileCounter<P, K>>();
}

template <class K>
inline constexpr KeyType kKeyTypeOf =
    std::same_as<K, std::uint64_t> ? KeyType::kU64 : KeyType::kString;

// A visitor of lines that adds each to `catalog`, with all that it can carry.
class PairWithWorkloads {
 public:
  explicit PairWithWorkloads(Catalog& catalog) : catalog_(catalog) {}

  template <class P>
  void operator()(const Line<P>& line) const {
    CatalogEntry entry{.listing = line.listing, .promises = P::kPromises};
    for_each_key_type([&]<class K>() {
      if constexpr (KeyedLock<P, K>) {
        entry.key_types.push_back(kKeyTypeOf<K>);
        for_each_workload<P, K>([&]<class W>() {
          if constexpr (W::kAccepts) entry.pairings.push_back(pairing<P, W>(line, kKeyTypeOf<K>));
        });
      }
    });
    catalog_.add(std::move(entry));
  }

 private:
  template <class P, class W>
  static Pairing pairing(const Line<P>& line, KeyType key_type) {
    return {.workload = std::string(W::kName),
            .key_type = key_type,
            .make = [make = line.make](const Trial& trial, const Arguments& arguments) {
              return std::make_unique<SubjectOf<P, W>>(trial, settings_of(trial), make(arguments));
            }};
  }

  Catalog& catalog_;
};

}  // namespace lockbench
