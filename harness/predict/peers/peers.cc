// SPDX-License-Identifier: Apache-2.0

// Locks of other authors whose code is all in headers, for predictions: a plug-in that
// lockbench-predicted-trial finds beside itself. Their names are those of the catalog.
//
// Not here: one lock for all keys over std::mutex or a POSIX spin lock, which the registry has with
// the same accesses; and what is compiled code of a library (absl::Mutex, tbb::mutex), whose
// accesses nothing can see. Of std::shared_mutex, the C library's part is the simulator's.

#include <mutex>
#include <shared_mutex>
#include <string_view>

#include <oneapi/tbb/spin_mutex.h>
#include <oneapi/tbb/spin_rw_mutex.h>

#include "harness/bench/catalog/lease_lines.h"
#include "harness/bench/catalog/line.h"
#include "harness/bench/catalog/striped_lines.h"
#include "harness/plugin/plugin.h"
#include "primitives/peers/keyed_table.h"
#include "primitives/peers/striped_vector.h"
#include "primitives/peers/tbb_queuing_mutex.h"

namespace lockbench {
namespace {

constexpr char kStandard[] = "C++ library";

constexpr char kTbb[] = "oneTBB";

template <class Base>
void add_base(PluginLocks& locks, const char* name, const char* origin) {
  locks.add_line<GlobalLock<Base>>({{"global", "", origin, {{"lock", name}}}, make_plain});
  locks.add_line<StripedLock<Base>>({striped_listing(name, origin), make_striped});
}

template <class Key>
void add_tables(PluginLocks& locks) {
  locks.add_line<KeyedTable<Key>>({{"keyed_table", "", kStandard, {{"lock", "std"}}}, make_plain});
  locks.add_line<KeyedTableSharded<Key>>({{"keyed_table64", "", kStandard}, make_plain});
  locks.add_line<KeyedLeaky<Key>>({{"keyed_leaky", "", kStandard}, make_plain});
}

void add_vector(PluginLocks& locks) {
  locks.add_line<StripedVector>(
      {{"striped_vector", "", kStandard, {}, {stripes_parameter()}}, make_striped});
}

void add_leases(PluginLocks& locks) {
  const auto add = [&locks]<class Pool>(const char* name, const char* origin) {
    locks.add_line<Pool>({{name, "", origin, {}, {leases_parameter()}}, make_leased});
  };
  add.template operator()<LeaseCondvar>("lease_condvar", kStandard);
  add.template operator()<LeaseSemaphore>("lease_semaphore", kStandard);
  add.template operator()<LeaseMoodycamel>("lease_moodycamel", "moodycamel");
}

}  // namespace
}  // namespace lockbench

LOCKBENCH_PLUGIN(locks) {
  using lockbench::add_base;
  add_base<tbb::spin_mutex>(locks, "tbb_spin", lockbench::kTbb);
  add_base<lockbench::TbbQueuingMutex>(locks, "tbb_queuing", lockbench::kTbb);
  add_base<tbb::spin_rw_mutex>(locks, "tbb_spin_rw", lockbench::kTbb);
  add_base<std::shared_mutex>(locks, "std_shared", lockbench::kStandard);
  lockbench::add_tables<std::uint64_t>(locks);
  lockbench::add_tables<std::string_view>(locks);
  lockbench::add_vector(locks);
  lockbench::add_leases(locks);
}
