// SPDX-License-Identifier: Apache-2.0

// Arrival order: checks whether a lock that promises to be fair serves native threads in the order
// in which they arrive.
//
// The order of threads that arrive at about the same time cannot be determined. So each thread
// arrives when the one before it certainly waits: when that one sleeps in its call, or has used a
// processor for longer than any lock spins before it queues a thread. Then the holder releases, and
// requests the key again at once: it must be served after all of them. If a key has several
// holders, the others hold on meanwhile.
//
// If a lock bounds how often a thread that waits is passed, one thread waits. The holder releases
// and requests the key again, as often as it is passed: by lock() in one epoch, by tries in
// another.

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <semaphore>
#include <thread>
#include <vector>

#include "harness/stress/threads/epoch_checks.h"
#include "harness/stress/threads/own_thread.h"
#include "harness/stress/threads/waiter.h"

namespace lockbench::stress::threads {
namespace {

constexpr std::uint32_t kMostWaiters = 17;
// Beside them. More threads would take too long to start, or the machine has no room for them.
constexpr std::uint32_t kMostOtherHolders = 64;

struct PlacedWaiter : Waiter {
  std::uint32_t position = 0;  // position in the service order; the thread writes it as holder
};

// Threads that hold all but one of the slots of a key until the end of this object, so that the
// one slot that is left goes from thread to thread.
class OtherHolders {
 public:
  OtherHolders(EpochContext& context, std::uint32_t number) {
    for (std::uint32_t i = 0; i < number; ++i)
      threads_.push_back(own_thread(context.state, [&] { hold(context); }));
    for (std::uint32_t i = 0; i < number; ++i) holds_.acquire();
  }
  ~OtherHolders() {
    ends_.release(static_cast<std::ptrdiff_t>(threads_.size()));
    for (std::thread& thread : threads_) thread.join();
  }
  OtherHolders(const OtherHolders&) = delete;
  OtherHolders& operator=(const OtherHolders&) = delete;

 private:
  void hold(EpochContext& context) {
    const std::unique_ptr<LockHandle> handle = context.lock.handle(0);
    handle->lock();
    holds_.release();
    ends_.acquire();
    handle->unlock();
  }

  std::counting_semaphore<> holds_{0};
  std::counting_semaphore<> ends_{0};
  std::vector<std::thread> threads_;
};

// A queue may have 4, 8 or 16 slots. More threads than that wait in a few epochs only, because
// each must be seen waiting before the next one comes, which takes long if they spin. If the lock
// promises room for few threads, all of them come each time.
std::uint32_t waiters_for(std::uint32_t room, std::uint64_t draw) {
  constexpr std::uint32_t kFewThreads = 10;
  if (room != 0 && room <= kFewThreads) return room - 1;
  if (draw % 32 == 0) return kMostWaiters;
  if (draw % 16 == 1) return 9;
  return draw % 8 == 2 ? 6 : 4;
}

}  // namespace

void check_arrival_order(EpochContext& context, std::uint64_t draw) {
  std::array<PlacedWaiter, kMostWaiters> waiters;
  const std::uint32_t holders = context.capacity - 1;
  if (holders > kMostOtherHolders) return;
  // Beside the other holders there are the one that releases the key, and two that wait.
  const std::uint32_t limit = context.entry.abilities.limits.threads;
  if (limit != 0 && limit < holders + 3) return;
  const std::uint32_t room = limit == 0 ? 0 : limit - holders;
  const std::uint32_t count = waiters_for(room, draw);
  const std::uint32_t threads = within(count + 1, room);
  std::uint32_t served = 0;  // number of waiters that were served; only the holder writes it
  std::uint32_t known = 0;   // number of waiters whose position in the arrival order is known
  const OtherHolders others(context, holders);
  const std::unique_ptr<LockHandle> held = context.lock.handle(0);
  held->lock();
  std::uint32_t begun = 0;
  for (; begun + 1 < threads && known == begun; ++begun) {
    PlacedWaiter& waiter = waiters[begun];
    waiter.thread = own_thread(context.state, [&] {
      const std::unique_ptr<LockHandle> handle = context.lock.handle(0);
      waiter.requests_now();
      handle->lock();
      waiter.position = served++;
      add(context.state.beat);
      handle->unlock();
    });
    known += waits(waiter) != Waits::kUnknown;
    add(context.state.beat);
  }
  held->unlock();
  // The releaser comes last of all, and finds the key free if the release hands it to nobody.
  held->lock();
  const std::uint32_t releasers_position = served++;
  held->unlock();
  for (std::uint32_t i = 0; i < begun; ++i) waiters[i].thread.join();
  add(context.state.beat);
  const auto compare = [&](std::uint32_t earlier, std::uint32_t later,
                           std::uint32_t laters_position) {
    check(context.state, kOwnSlot,
          Arrivals{.key = 0,
                   .earlier = earlier,
                   .later = later,
                   .overtook = laters_position < waiters[earlier].position});
  };
  // The last waiter is not compared if it is not certain that it arrived after the others.
  for (std::uint32_t i = 1; i < known; ++i) compare(i - 1, i, waiters[i].position);
  for (std::uint32_t i = 0; i < known; ++i) compare(i, begun, releasers_position);
}

void check_bypass_limit(EpochContext& context, bool by_tries) {
  constexpr std::chrono::milliseconds kMost{20};
  constexpr std::uint32_t kHolder = 0;
  constexpr std::uint32_t kWaiter = 1;
  const std::uint32_t limit = context.entry.abilities.bypass_limit;
  const std::unique_ptr<LockHandle> held = context.lock.handle(0);
  held->lock();
  bool is_served = false;  // only the holder reads and writes it
  Waiter waiter;
  waiter.thread = own_thread(context.state, [&] {
    const std::unique_ptr<LockHandle> handle = context.lock.handle(0);
    waiter.requests_now();
    handle->lock();
    is_served = true;
    handle->unlock();
  });
  const bool is_known = waits(waiter) != Waits::kUnknown;
  const auto until = std::chrono::steady_clock::now() + kMost;
  for (std::uint32_t passes = 1; is_known && passes <= limit + 1; ++passes) {
    held->unlock();
    if (!by_tries) {
      held->lock();
    } else if (!held->try_lock()) {
      return waiter.thread.join();
    }
    add(context.state.beat);
    if (is_served || std::chrono::steady_clock::now() > until) break;
    check(context.state, kOwnSlot,
          Turn{.thread = kHolder,
               .key = 0,
               .passed_over = kWaiter,
               .passes = passes,
               .bypass_limit = limit});
  }
  held->unlock();
  waiter.thread.join();
}

}  // namespace lockbench::stress::threads
