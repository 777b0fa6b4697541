// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/engines/sim_registry.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "harness/stress/engines/coroutine_holds.h"
#include "harness/stress/engines/own_forms.h"
#include "harness/stress/forms.h"
#include "harness/stress/lock_adapter.h"
#include "harness/stress/shared_holds.h"
#include "harness/stress/stopped_waits.h"
#include "primitives/as_published/reentrant_as_published.h"
#include "primitives/futex_mutex.h"
#include "primitives/global_lock.h"
#include "primitives/internal/timed.h"
#include "primitives/key.h"
#include "primitives/keyed_limited.h"
#include "primitives/keyed_mutex.h"
#include "primitives/keyed_semaphore.h"
#include "primitives/keyed_shared_mutex.h"
#include "primitives/lease_pool.h"
#include "primitives/parking_mutex.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/portable/parking_table.h"
#include "primitives/platform/thread.h"
#include "primitives/reentrant_lock.h"
#include "primitives/stripe_word.h"
#include "primitives/striped_lock.h"

namespace lockbench::stress::explore {
namespace {

// ParkingTableMutex: the mutex of FutexMutex, asleep in the table that is the futex of the portable
// platform. So the table's interleavings are explored, over the simulated mutex and condition
// variable.
class ParkingTableMutex : public lockbench::internal::TimedMembers<ParkingTableMutex> {
 public:
  void lock() { lock_before(platform::kForever); }

  bool try_lock() {
    std::uint32_t expected = kFree;
    // (1) acquire: synchronizes with (2).
    return word_.compare_exchange_strong(expected, kHeld, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }

  bool lock_before(platform::Time deadline) {
    if (try_lock()) return true;
    // acquire: as (1).
    while (word_.exchange(kHeldWaiters, std::memory_order_acquire) != kFree) {
      if (!table().wait(word_, kHeldWaiters, deadline)) return false;
    }
    return true;
  }

  void unlock() {
    // (2) release: publishes the critical section to (1).
    if (word_.exchange(kFree, std::memory_order_release) == kHeldWaiters) table().wake(word_, 1);
  }

 private:
  // 0 free | 1 held | 2 held, and threads may sleep
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kHeld = 1;
  static constexpr std::uint32_t kHeldWaiters = 2;

  static platform::ParkingTable& table() {
    return platform::of_this_process<platform::ParkingTable>();
  }

  platform::ParkingTable::Word word_{kFree};
};

// Longer than any pause in a program, so a hold expires only if the simulation advances the clock.
constexpr std::chrono::milliseconds kLimit{20};

RegisteredLock limited(RegisteredLock line) {
  line.abilities.hold_limit = kLimit;
  return line;
}

template <class Pool>
RegisteredLock pool(std::string name, std::string summary, std::uint32_t leases) {
  RegisteredLock line{.abilities = abilities_of<Pool, std::uint64_t>()};
  line.name = std::move(name);
  line.summary = std::move(summary);
  line.make = [leases](std::uint64_t keys) -> std::unique_ptr<LockUnderTest> {
    return std::make_unique<LockAdapter<Pool, std::uint64_t>>(std::make_unique<Pool>(keys, leases));
  };
  line.abilities.capacity = leases;
  return line;
}

// With this number of stripes, key 0 has one stripe, and keys 1 and 2 share another one.
constexpr std::size_t kStripes = 3;

// Both stripes become free at the same time. The thread that then acquires one of them keeps it
// until another thread has acquired the other.
RegisteredLock of_one_word(RegisteredLock line) {
  line.programs = {"B0+1 U | L0 A2 U | L1 U"};
  return line;
}

RegisteredLock asking_again(RegisteredLock line) {
  line.abilities.nests_leases = true;
  return line;
}

// All keys have the same hash, so only the keys themselves distinguish them.
struct SameHash {
  std::uint64_t operator()(std::string_view) const noexcept { return 42; }
};

std::vector<RegisteredLock> shipped_locks() {
  using String = std::string_view;
  using enum LeaseOrder;
  using enum LeaseNesting;
  return {
      lock_under_test<GlobalLock<>>("global", "one lock for all keys"),
      lock_under_test<GlobalLock<FutexMutex>>("global:lock=futex", "the same over another base"),
      lock_under_test<GlobalLock<BasicAdaptiveMutex<lockbench::internal::NoBarriers>>>(
          "global:barriers=none", "the same, as on a kernel without membarrier"),
      lock_under_test<GlobalLock<ParkingTableMutex>>(
          "global:futex=portable", "one lock for all keys, over the portable platform's futex"),
      lock_under_test<GlobalLock<ParkingMutex>>("parking", "one lock of a byte for all keys"),
      lock_under_test<KeyedMutex<>>("keyed", "a mutex per key; two buckets", 2),
      lock_under_test<KeyedMutex<String>, String>("keyed_string",
                                                  "a mutex per string key; one bucket", 1),
      lock_under_test<KeyedMutex<String, SameHash>, String>(
          "keyed_equal_hashes", "every key has one hash; one bucket", 1),
      lock_under_test<KeyedMutex<std::uint64_t, KeyHash, lockbench::internal::NoBarriers>>(
          "keyed:barriers=none", "as on a kernel without membarrier; one bucket", 1),
      lock_under_test<KeyedMutex<std::uint64_t, KeyHash, lockbench::internal::KernelBarriers, 1>>(
          "keyed_rows", "one bucket, which makes room for a second key at once", 1),
      limited(lock_under_test<KeyedLimited<>>("keyed_limited", "who holds too long loses the key",
                                              kLimit, 1)),
      lock_under_test<KeyedSharedMutex<>>("keyed_shared", "readers and writers by key; one bucket",
                                          1),
      lock_under_test<ReadersFirst<KeyedSharedMutex<>>>(
          "keyed_shared:readers=first", "each thread reads before it writes; one bucket", 1),
      lock_under_test<ReadersApart<KeyedSharedMutex<>>>(
          "keyed_shared:readers=apart", "readers and writers are different threads; one bucket", 1),
      limited(lock_under_test<StoppedWaits<KeyedLimited<>>>(
          "keyed_limited:waits=stopped", "waits end when a stop is requested", kLimit, 1)),
      with_permits(2, lock_under_test<NumberedPermits<KeyedSemaphore<>>>(
                          "keyed_semaphore", "two permits for each key; one bucket", 2U, 1)),
      lock_under_test<KeyedSemaphore<>>("keyed_semaphore:permits=1", "one permit for each key", 1U,
                                        1),
      lock_under_test<CoroutineHolds<>>("keyed_co", "coroutines that wait for a key; one bucket",
                                        1),
      lock_under_test<StripedLock<>>("striped", "a few stripes", kStripes),
      of_one_word(
          lock_under_test<StripeWord>("stripe_word", "a few stripes in one word", kStripes)),
      lock_under_test<ReentrantLock<>>("reentrant", "one lock that its owner may take again"),
      lock_under_test<ReentrantRepaired>("reentrant_repaired",
                                         "the published one, its faults repaired"),
      lock_under_test<ReentrantLock<BiasedRecursiveMutex<FutexMutex>>>(
          "reentrant:lock=futex", "the same over another base"),
      lock_under_test<
          ReentrantLock<BiasedRecursiveMutex<FutexMutex, lockbench::internal::NoBarriers>>>(
          "reentrant:barriers=none", "the same, as on a kernel without membarrier"),
      lock_under_test<ReentrantLock<RecursiveMutex<ParkingMutex>>>(
          "recursive_parking", "a byte, its waiters queued elsewhere"),
      asking_again(pool<LeasePool>("lease", "shards with two leases each", 2)),
      pool<LeasePool>("lease:leases=1", "shards with one lease each", 1),
      asking_again(pool<BasicLeasePool<kFifo>>("lease:order=fifo", "first come, first served", 2)),
      pool<BasicLeasePool<kUnordered, kRefuse, lockbench::internal::NoBarriers>>(
          "lease:barriers=none", "as on a kernel without membarrier", 2),
      pool<BasicLeasePool<kUnordered, kShare>>("lease:nesting=share", "holders share theirs", 2),
      pool<BasicLeasePool<kFifo, kWait>>("lease:order=fifo,nesting=wait", "holders wait, too", 2),
  };
}

}  // namespace

std::vector<RegisteredLock> stress_registry() {
  std::vector<RegisteredLock> all = shipped_locks();
  for (RegisteredLock& form : forms_of_own_locks(1)) all.push_back(std::move(form));
  for (RegisteredLock& line : all) line.abilities.strong_try = !has_form(line.name, kSeveralKeys);
  return all;
}

}  // namespace lockbench::stress::explore
