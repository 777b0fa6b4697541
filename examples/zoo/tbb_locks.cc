// SPDX-License-Identifier: Apache-2.0

// oneTBB's mutexes that are all in its headers.
//
//   lockbench stress --plugin ./tbb_locks.so --engine sim
#include <lockbench/plugin.h>

#include <oneapi/tbb/queuing_mutex.h>
#include <oneapi/tbb/spin_mutex.h>
#include <oneapi/tbb/spin_rw_mutex.h>

namespace {

// A waiter's node lies in the handle.
class Queuing {
 public:
  using Node = tbb::queuing_mutex::scoped_lock;

  void lock(Node& node) { node.acquire(mutex_); }
  bool try_lock(Node& node) { return node.try_acquire(mutex_); }
  void unlock(Node& node) { node.release(); }

 private:
  tbb::queuing_mutex mutex_;
};

}  // namespace

LOCKBENCH_PLUGIN(locks) {
  locks.add<tbb::spin_mutex>("tbb_spin_mutex", "tbb::spin_mutex", "oneTBB");
  locks.add<Queuing>("tbb_queuing_mutex", "tbb::queuing_mutex", "oneTBB");
  locks.add<tbb::spin_rw_mutex>("tbb_spin_rw_mutex", "tbb::spin_rw_mutex", "oneTBB");
}
