// SPDX-License-Identifier: Apache-2.0

// TbbQueuingMutex: tbb::queuing_mutex as a queue lock.
//
// Guarantees   mutual exclusion between threads, first come, first served.
// Not offered  recursion, timeouts; sleeping: a waiter spins on its own node and yields.
#pragma once

#include <oneapi/tbb/queuing_mutex.h>

namespace lockbench {

class TbbQueuingMutex {
 public:
  using Node = tbb::queuing_mutex::scoped_lock;

  void lock(Node& node) { node.acquire(mutex_); }
  bool try_lock(Node& node) { return node.try_acquire(mutex_); }
  void unlock(Node& node) { node.release(); }

 private:
  tbb::queuing_mutex mutex_;
};

}  // namespace lockbench
