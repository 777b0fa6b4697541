// SPDX-License-Identifier: Apache-2.0

// The catalog's entries for locks that their owner may acquire again.
#pragma once

#include <mutex>

#include "harness/bench/catalog/line.h"
#include "primitives/as_published/reentrant_as_published.h"
#include "primitives/parking_mutex.h"
#include "primitives/reentrant_lock.h"

namespace lockbench {

template <class Visit>
void visit_reentrant(Visit visit) {
  visit(Line<ReentrantLock<>>{{"reentrant", "one lock that its owner may take again"}, make_plain});
  visit(Line<ReentrantLock<RecursiveMutex<ParkingMutex>>>{
      {"recursive_parking", "the same, over a lock of one byte whose waiters queue elsewhere"},
      make_plain});
  visit(Line<ReentrantLock<std::recursive_mutex>>{
      {"recursive_mutex", "std::recursive_mutex", "C++ library"}, make_plain});
  visit(Line<ReentrantAsPublished<>>{
      {"reentrant_as_published", "a count before a real lock; one contention ends its speed",
       "an article on fastrlock"},
      make_plain});
  visit(Line<ReentrantRepaired>{
      {"reentrant_repaired", "the same, with its faults repaired", "an article on fastrlock"},
      make_plain});
}

}  // namespace lockbench
