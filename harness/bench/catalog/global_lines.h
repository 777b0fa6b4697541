// SPDX-License-Identifier: Apache-2.0

// The catalog's entries for one lock for all keys, and for `none`.
#pragma once

#include <mutex>

#include "harness/bench/catalog/base_locks.h"
#include "harness/bench/catalog/line.h"
#include "primitives/global_lock.h"
#include "primitives/no_lock.h"

namespace lockbench {

template <class Visit>
void visit_global(Visit visit) {
  visit(Line<NoLock>{
      {"none", "no lock at all: the floor at one thread, the race at more", "nobody"}, make_plain});
  const auto over = [&]<class Base>(const char* lock, const char* origin) {
    visit(Line<GlobalLock<Base>>{{"global", "one lock for all keys", origin, {{"lock", lock}}, {}},
                                 make_plain});
  };
  for_each_base_lock(over);
  // Beside locks of ours that can give up a wait.
  over.template operator()<std::timed_mutex>("std_timed", "C++ library");
}

}  // namespace lockbench
