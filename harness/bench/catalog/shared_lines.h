// SPDX-License-Identifier: Apache-2.0

// The catalog's entries for locks with shared holds, for readers, and exclusive ones, for writers.
#pragma once

#include <memory>
#include <shared_mutex>

#include <oneapi/tbb/rw_mutex.h>
#include <oneapi/tbb/spin_rw_mutex.h>

#include "harness/bench/catalog/line.h"
#include "harness/bench/catalog/striped_lines.h"
#include "primitives/global_lock.h"
#include "primitives/keyed_shared_mutex.h"
#include "primitives/peers/absl_shared_mutex.h"
#include "primitives/striped_lock.h"

namespace lockbench {

template <class Visit>
void visit_shared(Visit visit) {
  for_each_key_type([&]<class K>() {
    visit(Line<KeyedSharedMutex<K>>{
        {"keyed_shared",
         "for every key in use, a lock that readers share",
         "lockbench",
         {},
         {{"buckets", KeyedSharedMutex<K>::kDefaultBuckets, 1, 1 << 24, "buckets of the table"}}},
        [](const Arguments& with) {
          return std::make_unique<KeyedSharedMutex<K>>(with["buckets"]);
        }});
  });
}

template <class Visit>
void visit_shared_peers(Visit visit) {
  const auto both = [&]<class Base>(const char* lock, const char* origin) {
    visit(Line<GlobalLock<Base>>{{"global", "one lock for all keys", origin, {{"lock", lock}}, {}},
                                 make_plain});
    visit(Line<StripedLock<Base>>{striped_listing(lock, origin), make_striped});
  };
  both.template operator()<std::shared_mutex>("std_shared", "C++ library");
  both.template operator()<AbslSharedMutex>("absl_shared", "Abseil");
  both.template operator()<tbb::rw_mutex>("tbb_rw", "oneTBB");
  both.template operator()<tbb::spin_rw_mutex>("tbb_spin_rw", "oneTBB");
}

}  // namespace lockbench
