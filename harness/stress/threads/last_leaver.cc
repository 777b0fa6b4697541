// SPDX-License-Identifier: Apache-2.0

// LastLeaver: two threads use a lock for the last time; the last of them destroys it. The unlock()
// that let it in may not have returned, and must not access the lock any more.

#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <functional>
#include <latch>
#include <memory>
#include <thread>

#include "harness/stress/threads/access_delays.h"
#include "harness/stress/threads/epoch_checks.h"
#include "harness/stress/threads/fault_injector.h"
#include "harness/stress/threads/guarded_memory.h"
#include "harness/stress/threads/own_thread.h"

namespace lockbench::stress::threads {
namespace {

using Clock = std::chrono::steady_clock;

// The threads meet only between two batches: then both are often at the same lock, one a little
// later than the other.
constexpr std::size_t kBatch = 16;
constexpr std::chrono::milliseconds kMost{100};
constexpr std::uint32_t kThreads = 2;

class LastLeaver {
 public:
  explicit LastLeaver(EpochContext& context)
      : context_(context),
        make_(context.entry.make_instrumented ? context.entry.make_instrumented
                                              : context.entry.make) {}

  // Signals delay the threads anywhere, also between two system calls of a library, and end their
  // sleeps early.
  void run(std::uint64_t seed) {
    std::thread one = own_thread(context_.state, [this] { leave_batches(true); });
    std::thread other = own_thread(context_.state, [this] { leave_batches(false); });
    {
      const FaultInjector signals(context_.state, FaultKind::kSignals, seed,
                                  {one.native_handle(), other.native_handle()});
      ended_.wait();
    }
    one.join();
    other.join();
    check(context_.state, kOwnSlot, Destructions{.locks = destroyed_.load()});
  }

 private:
  struct BatchLock {
    std::unique_ptr<LockUnderTest> lock;
    std::atomic<std::uint32_t> left{0};  // threads that have used the lock for the last time
  };

  void leave_batches(bool makes) {
    const Clock::time_point until = Clock::now() + kMost;
    for (;;) {
      if (makes) {
        over_ = Clock::now() >= until;
        if (!over_) make();
      }
      meeting_.arrive_and_wait();
      if (over_) break;
      for (BatchLock& one : batch_) leave(one);
      meeting_.arrive_and_wait();
    }
    ended_.count_down();
  }

  void make() {
    GuardedMemory::reset();  // all locks of the batch before are destroyed
    const GuardedMemory guard;
    for (BatchLock& one : batch_) {
      one.lock = make_(1);
      one.left.store(0, std::memory_order_relaxed);
    }
  }

  void leave(BatchLock& one) {
    std::unique_ptr<LockHandle> handle = one.lock->handle(0);
    handle->lock();
    // relaxed: the lock orders the two holders, so the second one reads 1.
    const bool last = one.left.fetch_add(1, std::memory_order_relaxed) + 1 == kThreads;
    handle->unlock();
    handle.reset();
    if (!last) return;
    one.lock.reset();
    destroyed_.fetch_add(1, std::memory_order_relaxed);
  }

  EpochContext& context_;
  const std::function<std::unique_ptr<LockUnderTest>(std::uint64_t)>& make_;
  std::array<BatchLock, kBatch> batch_;
  std::barrier<> meeting_{kThreads};
  std::latch ended_{kThreads};
  std::atomic<std::uint64_t> destroyed_{0};
  bool over_ = false;
};

}  // namespace

void check_last_leaver(EpochContext& context, std::uint64_t seed) {
  const AccessDelays delays(context.entry.make_instrumented ? seed | 1 : 0);
  LastLeaver(context).run(seed);
}

}  // namespace lockbench::stress::threads
