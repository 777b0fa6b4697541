// SPDX-License-Identifier: Apache-2.0

// ForkWhileHeld: a thread forks while it holds a key.

#include <chrono>
#include <memory>
#include <thread>
#include <unistd.h>

#include "harness/stress/supervision/forked_child.h"
#include "harness/stress/supervision/stall_detector.h"
#include "harness/stress/supervision/watched_child.h"
#include "harness/stress/threads/epoch_checks.h"
#include "harness/stress/threads/own_thread.h"

namespace lockbench::stress::threads {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTick{1};

// The acts of the thread that is left in the child.
void go_on_in_child(EpochContext& context, LockHandle& held) {
  if (!context.entry.abilities.survives_fork) return;
  held.unlock();
  const std::unique_ptr<LockHandle> again = context.lock.handle(0);
  again->lock();
  again->unlock();
}

void await(EpochContext& context, const ForkedChild& child) {
  StallDetector stall;
  while (!child.ends_within(kTick)) {
    add(context.state.beat);
    if (!stall.reached(0, child.pid(), tasks_of(child.pid()))) continue;
    child.kill();
    check(context.state, kOwnSlot, Hang{Hang::kForkedChild});
  }
  if (const auto end = abnormal_end(child.status())) check(context.state, kOwnSlot, *end);
}

}  // namespace

void check_fork_while_held(EpochContext& context) {
  const std::unique_ptr<LockHandle> held = context.lock.handle(0);
  held->lock();
  {
    const ForkedChild child([&] { go_on_in_child(context, *held); });
    await(context, child);
  }
  bool acquired = false;
  own_thread(context.state, [&] { acquired = context.lock.handle(0)->try_lock(); }).join();
  check(context.state, kOwnSlot, TryOfHeldKey{.key = 0, .acquired = acquired});
  held->unlock();
}

}  // namespace lockbench::stress::threads
