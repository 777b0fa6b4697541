// SPDX-License-Identifier: Apache-2.0

// LeasePool: shards, each with a fixed number of leases that threads take and give back.
//
// A lease is a number below `leases`; the thread that holds it may use the resource of that number
// (the n-th database connection of the shard). If a shard has no free lease, threads wait.
//
// The order in which waiters are served:
//   kUnordered   a thread that comes while a lease is free gets it; other threads may overtake a
//                waiter for at most ten milliseconds before a lease is handed over to it
//   kFifo        strictly in the order in which they came; each lease is handed over, which costs a
//                wake-up whenever a thread waits
// If a thread that holds a lease of the shard asks for another:
//   kRefuse      it gets another; if that can never happen, because every lease of the shard is
//                held by a thread that waits without limit for one more, lock() throws at once
//   kShare       it uses the lease that it holds, which is free again after its last unlock()
//   kWait        it gets another, or waits: if all holders of a shard ask again, forever
//
// A thread gets the lease that it had last, if that is free: as long as there are as many leases as
// threads, each keeps its own, and they share no cache line.
//
// Guarantees   at most `leases` holders of a shard; no lease has two threads; a lease that was
//              given back is available to any thread.
// Not offered  detection of threads that wait for each other across shards or pools. It must not be
//              destroyed before unlock() has returned in every thread: a release reads the shard
//              afterwards.
// Requires     the rules for handles in concepts.h; shard numbers below shards().
// fork()       not while a thread holds or waits for a lease, if the child uses the pool.
// Cost         lock and unlock without a waiter, if the thread's last lease is free: one atomic
//              read-modify-write, a release store and two loads; else a look at up to all leases.
//              In slow release mode, which lasts from a wait until 2,000 releases in a row met no
//              waiter, giving back locks the shard's mutex; under kFifo taking does, too. Under
//              kShare taking looks at all leases. The first waiter pays for a heavy barrier.
//
// Invariants
//   I1  a lease is free exactly if its slot contains no thread: internal/lease_slots.h.
//   I2  a thread is in the queue only in slow release mode. Both change under the mutex.
//   I3  if a lease is free and a thread waits, then a wake-up to the head of the queue is in
//   flight,
//       or a grant to a thread that will look at the queue before it returns, or a release that
//       began in fast mode has yet to read the mode again; it then looks at the queue.
//   I4  under kRefuse: `stuck` is the number of leases whose holders wait without limit for another
//       lease of the shard, under the mutex; it is less than the number of leases.
//   docs/design/lease.md has the argument.
// Source       the releases are those of adaptive_mutex.h. Allocators with a cache per thread also
//              give a thread again what it had last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <system_error>

#include "primitives/concepts.h"
#include "primitives/futex_mutex.h"
#include "primitives/internal/asymmetry.h"
#include "primitives/internal/lease_slots.h"
#include "primitives/internal/misuse.h"
#include "primitives/internal/table_size.h"
#include "primitives/internal/timed.h"
#include "primitives/internal/wait_queue.h"
#include "primitives/key_guard.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/failure.h"
#include "primitives/platform/layout.h"
#include "primitives/platform/thread.h"

namespace lockbench {

enum class LeaseOrder { kUnordered, kFifo };
enum class LeaseNesting { kRefuse, kShare, kWait };

// A shard at one moment; exact if no thread takes or gives back a lease meanwhile.
struct LeaseCensus {
  std::uint32_t free = 0;     // leases that no thread holds
  std::uint32_t out = 0;      // leases that a thread holds
  std::uint32_t waiting = 0;  // threads that wait

  bool operator==(const LeaseCensus&) const = default;
};

template <LeaseOrder kOrder = LeaseOrder::kUnordered, LeaseNesting kNesting = LeaseNesting::kRefuse,
          class Barriers = internal::KernelBarriers>
class BasicLeasePool : public internal::GuardMembers<BasicLeasePool<kOrder, kNesting, Barriers>> {
 public:
  static constexpr Promises kPromises{
      .lock_per_key = true, .timed = true, .fair = kOrder == LeaseOrder::kFifo};
  static constexpr bool kSharesLeases = kNesting == LeaseNesting::kShare;
  static constexpr std::uint32_t kDefaultLeases = 10;

  class Handle;

  // `shards` and `leases` (per shard) are at least 1; else throws std::invalid_argument.
  explicit BasicLeasePool(std::size_t shards, std::uint32_t leases = kDefaultLeases)
      : count_(shards), leases_(leases), shards_(new Shard[internal::table_size(shards)]) {
    internal::require_argument(shards != 0 && leases != 0,
                               "LeasePool: there must be at least 1 shard and 1 lease in each");
    for (std::size_t i = 0; i < count_; ++i) shards_[i].slots.make(leases);
  }

  // `shard`: below shards().
  Handle handle(std::uint64_t shard) {
    check_shard(shard);
    return Handle(*this, shards_[shard]);
  }

  std::uint32_t capacity() const { return leases_; }
  std::size_t shards() const { return count_; }
  std::size_t lock_bytes() const {
    return sizeof *this + count_ * (sizeof(Shard) + Slots::bytes(leases_));
  }

  // Leases of `shard` that are free now.
  std::uint32_t available(std::uint64_t shard) const { return census(shard).free; }

  LeaseCensus census(std::uint64_t shard) const {
    check_shard(shard);
    Shard& counted = shards_[shard];
    std::scoped_lock guard(counted.mutex);
    const std::uint32_t out = leases_ - counted.slots.count_of(platform::kNoThread);
    return {.free = leases_ - out, .out = out, .waiting = counted.waiting};
  }

 private:
  using Slots = internal::LeaseSlots<kSharesLeases>;

  static constexpr internal::Spun kSpun =
      kOrder == LeaseOrder::kUnordered ? internal::Spun::kYes : internal::Spun::kNo;

  // The mode of releases.
  enum Releases : std::uint8_t {
    // 0 a store, and a second look at the mode | 1 under the mutex
    kFast = 0,
    kSlow = 1,
  };

  struct Taker : internal::Waiter {
    std::uint32_t lease = 0;
    std::uint32_t blocks = 0;  // leases of its thread that stay held until it is served
    std::uint32_t held = 0;    // how often the handle is locked; kept in debug builds only
    platform::ThreadToken thread = platform::kNoThread;
  };

  struct Shard {
    void enqueue(Taker& taker, platform::Time since) {
      waiters.push_back(taker, since);
      ++waiting;
      stuck += taker.blocks;
    }

    void dequeue(Taker& taker) {
      waiters.remove(taker);
      --waiting;
      stuck -= taker.blocks;
    }

    // Read at each release and seldom written, as `slots`.
    alignas(platform::kCacheLine) platform::Atomic<std::uint8_t> releases{
        Barriers::available() ? kFast : kSlow};
    Slots slots;

    alignas(platform::kCacheLine) FutexMutex mutex;
    internal::WaitQueue waiters;  // under the mutex, as all below
    std::uint32_t waiting = 0;
    std::uint32_t stuck = 0;  // I4
  };
  static_assert(sizeof(Shard) == 2 * platform::kCacheLine);

  void check_shard(std::uint64_t shard) const {
    internal::check_use([&] { return shard < count_; },
                        "LeasePool: there is no shard of that number");
  }

  static bool take_at_once(Shard& shard, Taker& taker) {
    taker.thread = platform::this_thread();
    if (kSharesLeases && shard.slots.share(taker.thread, taker.lease)) return true;
    // relaxed: a thread that reads kFast came before the threads that wait now.
    if (kOrder == LeaseOrder::kFifo && shard.releases.load(std::memory_order_relaxed) != kFast)
        [[unlikely]] {
      std::scoped_lock guard(shard.mutex);
      return shard.waiters.empty() && take_free(shard, taker);
    }
    return take_free(shard, taker);
  }

  static bool take_free(Shard& shard, Taker& taker) {
    return shard.slots.take(taker.thread, taker.lease);
  }

  bool acquire(Shard& shard, Taker& taker, platform::Time deadline) const {
    return take_at_once(shard, taker) || acquire_slow(shard, taker, deadline);
  }

  [[gnu::noinline, gnu::cold]] bool acquire_slow(Shard& shard, Taker& taker,
                                                 platform::Time deadline) const {
    platform::Time since{};
    if (kOrder == LeaseOrder::kUnordered && spin(shard, taker, deadline, since)) return true;
    {
      std::scoped_lock guard(shard.mutex);
      switch_to_slow(shard);
      // A release from here on locks the mutex, or its store came before the barrier and is seen.
      const bool overtakes = kOrder == LeaseOrder::kFifo && !shard.waiters.empty();
      if (!overtakes && take_free(shard, taker)) return true;
      if (kNesting == LeaseNesting::kRefuse) refuse_or_count(shard, taker, deadline);
      shard.enqueue(taker, since);
    }
    return wait_for_lease(shard, taker, deadline);
  }

  // Returns whether a lease was given back soon. A thread whose wait would be refused spins before.
  static bool spin(Shard& shard, Taker& taker, platform::Time deadline, platform::Time& since) {
    using internal::AdaptiveSpin;
    AdaptiveSpin& spin_state = AdaptiveSpin::of_thread();
    return spin_state.should_spin() &&
           spin_state.note(spin_state.spin_until(
               [&shard, &taker] { return take_free(shard, taker); }, deadline, since));
  }

  // Under the mutex.
  static void switch_to_slow(Shard& shard) {
    // relaxed: it changes under the mutex, and the barrier publishes it.
    if (shard.releases.load(std::memory_order_relaxed) == kSlow) return;
    shard.releases.store(kSlow, std::memory_order_relaxed);
    Barriers::heavy();
  }

  // A thread that waits without limit does not give back its leases meanwhile (I4).
  void refuse_or_count(const Shard& shard, Taker& taker, platform::Time deadline) const {
    taker.blocks = deadline == platform::kForever ? shard.slots.count_of(taker.thread) : 0;
    if (taker.blocks + shard.stuck == leases_) throw_refused();
  }

  [[noreturn, gnu::noinline, gnu::cold]] static void throw_refused() {
    platform::throw_error(std::system_error(
        std::make_error_code(std::errc::resource_deadlock_would_occur),
        "LeasePool: all leases of the shard are held by threads that wait for another one; give "
        "yours back first, or use LeaseNesting::kShare"));
  }

  // True if it may take a free lease: under kFifo only the head of the queue may.
  static bool is_next(const Shard& shard, const Taker& taker) {
    return kOrder == LeaseOrder::kUnordered || shard.waiters.first() == &taker;
  }

  static bool wait_for_lease(Shard& shard, Taker& taker, platform::Time deadline) {
    internal::PendingWake wake;
    const bool taken = [&] {
      for (;;) {
        internal::await_signal(taker, deadline, kSpun);
        std::scoped_lock guard(shard.mutex);
        // relaxed: signals are sent under the mutex, which this thread holds.
        const bool granted =
            taker.signal.load(std::memory_order_relaxed) == internal::Waiter::kGranted;
        if (granted || (is_next(shard, taker) && take_free(shard, taker))) {
          if (!granted) shard.dequeue(taker);
          // Several leases may have been given back for one signal, a wake-up or a grant (I3).
          serve_first(shard, wake);
          return true;
        }
        if (platform::now() >= deadline) {
          shard.dequeue(taker);
          return false;
        }
        // relaxed: signals are sent under the mutex, which this thread holds.
        taker.signal.store(internal::Waiter::kSpinning, std::memory_order_relaxed);
      }
    }();
    wake.deliver();
    return taken;
  }

  static void release(Shard& shard, const Taker& taker) {
    if (!shard.slots.leaves(taker.lease)) return;
    // relaxed, here and below: the barriers order it with the store between the two loads; a thread
    // that set kSlow saw that store, or is seen here.
    if (shard.releases.load(std::memory_order_relaxed) != kFast) [[unlikely]] {
      release_slow(shard, taker.lease);
      return;
    }
    shard.slots.free(taker.lease);
    Barriers::light();
    if (shard.releases.load(std::memory_order_relaxed) != kFast) [[unlikely]] {
      look_after(shard);
    }
  }

  [[gnu::noinline]] static void release_slow(Shard& shard, std::uint32_t lease) {
    internal::PendingWake wake;
    {
      std::scoped_lock guard(shard.mutex);
      internal::Waiter* const first = shard.waiters.first();
      if (first != nullptr && has_waited_enough(*first)) {
        hand_over(shard, lease, static_cast<Taker&>(*first), wake);
      } else {
        shard.slots.free(lease);
        if (first != nullptr) wake.signal(*first, internal::Waiter::kWoken);
      }
      count_release(shard, first == nullptr);
    }
    wake.deliver();
  }

  // True if a lease is handed over to the waiter, which is only woken otherwise.
  static bool has_waited_enough(const internal::Waiter& waiter) {
    return kOrder == LeaseOrder::kFifo || internal::WaitQueue::starving(waiter);
  }

  static void hand_over(Shard& shard, std::uint32_t lease, Taker& successor,
                        internal::PendingWake& wake) {
    shard.dequeue(successor);
    successor.lease = lease;
    shard.slots.hand_over(lease, successor.thread);
    wake.signal(successor, internal::Waiter::kGranted);
  }

  // After a release that began in fast mode: a thread may have begun to wait meanwhile.
  [[gnu::noinline, gnu::cold]] static void look_after(Shard& shard) {
    internal::PendingWake wake;
    {
      std::scoped_lock guard(shard.mutex);
      serve_first(shard, wake);
    }
    wake.deliver();
  }

  // Under the mutex: if a lease is free, wakes the head of the queue, or hands the lease over to
  // it.
  static void serve_first(Shard& shard, internal::PendingWake& wake) {
    internal::Waiter* const first = shard.waiters.first();
    if (first == nullptr || shard.slots.count_of(platform::kNoThread) == 0) return;
    if (!has_waited_enough(*first)) {
      wake.signal(*first, internal::Waiter::kWoken);
      return;
    }
    auto& successor = static_cast<Taker&>(*first);
    // A thread that was faster will look at the queue.
    if (!shard.slots.take_for(successor.thread, successor.lease)) return;
    shard.dequeue(successor);
    wake.signal(successor, internal::Waiter::kGranted);
  }

  // Under the mutex, after a release in slow mode; `quiet`: no thread waited.
  static void count_release(Shard& shard, bool quiet) {
    const bool enough = platform::of_this_thread<internal::UncontendedReleases>().note(quiet);
    // relaxed: see release(). The next thread that waits holds the mutex after this one.
    if (enough && Barriers::available()) {
      shard.releases.store(kFast, std::memory_order_relaxed);
    }
  }

  const std::size_t count_;
  const std::uint32_t leases_;
  const std::unique_ptr<Shard[]> shards_;
};

template <LeaseOrder kOrder, LeaseNesting kNesting, class Barriers>
class BasicLeasePool<kOrder, kNesting, Barriers>::Handle : public internal::TimedMembers<Handle> {
 public:
  Handle(const BasicLeasePool& owner, Shard& shard) : owner_(owner), shard_(shard) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    internal::check_use([this] { return taker_.held == 0; },
                        "LeasePool: a handle is destroyed while it holds a lease");
  }

  // Takes a lease of the shard. Under kRefuse it throws std::system_error with the code
  // resource_deadlock_would_occur where waiting would never end; nothing is taken then.
  void lock() { lock_before(platform::kForever); }
  bool try_lock() {
    check_free();
    return count_held(owner_.take_at_once(shard_, taker_));
  }
  bool lock_before(platform::Time deadline) {
    check_free();
    return count_held(owner_.acquire(shard_, taker_, deadline));
  }

  // Gives the lease back.
  void unlock() {
    internal::check_use([this] { return taker_.held != 0; },
                        "LeasePool: unlock() of a handle that holds no lease");
    if constexpr (internal::kChecksUse) --taker_.held;
    owner_.release(shard_, taker_);
  }

  // The lease that was taken, below capacity(); meaningful while held.
  std::uint32_t lease() const { return taker_.lease; }

 private:
  // A second lease would be taken, and the first one would never come back.
  void check_free() const {
    internal::check_use([this] { return kSharesLeases || taker_.held == 0; },
                        "LeasePool: lock() of a handle that holds a lease");
  }

  bool count_held(bool taken) {
    if constexpr (internal::kChecksUse) taker_.held += taken ? 1 : 0;
    return taken;
  }

  const BasicLeasePool& owner_;
  Shard& shard_;
  Taker taker_;
};

using LeasePool = BasicLeasePool<>;

}  // namespace lockbench
