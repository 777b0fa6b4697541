// SPDX-License-Identifier: Apache-2.0

// process_wide: one instance of a primitive for the whole process, which any code can reach.
//
//   struct Accounts;
//   auto& locks = lockbench::process_wide<lockbench::KeyedMutex<>, Accounts>();
//
// Guarantees   of each pair of types one instance, made once, by the first call, whatever the
//              number of threads that call; the others wait until it is made. If making it throws,
//              the next call makes it. It exists until the process ends, so destructors of other
//              objects can use it.
// Not offered  different arguments in later calls: they are ignored.
// Requires     P and Tag have default visibility, if several shared objects use the instance and
//              are compiled with -fvisibility=hidden; see platform/thread.h, too.
// fork()       a child has a copy of the instance, unless the fork() came while it was being made.
// Cost         one load, once it is made.
#pragma once

#include <cstdint>
#include <memory>

#include <climits>

#include "primitives/internal/rollback.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/futex.h"

namespace lockbench {

namespace internal {

// Something that is made once.
template <class T>
class [[gnu::visibility("default")]] MadeOnce {
 public:
  // Calls `make()`, which returns a std::unique_ptr<T>, unless it was called before.
  template <class Make>
  T& get(const Make& make) {
    // (1) acquire: synchronizes with (2).
    if (state_.load(std::memory_order_acquire) != kMade) [[unlikely]]
      make_or_wait(make);
    return *made_;
  }

 private:
  enum State : std::uint32_t {
    // 0 not made | 1 it is being made, other threads may sleep | 2 made
    kNone = 0,
    kBeingMade = 1,
    kMade = 2,
  };

  template <class Make>
  [[gnu::noinline, gnu::cold]] void make_or_wait(const Make& make) {
    for (;;) {
      std::uint32_t seen = kNone;
      // acquire: as (1), for when it fails.
      if (state_.compare_exchange_strong(seen, kBeingMade, std::memory_order_acquire)) break;
      if (seen == kMade) return;
      platform::futex_wait(state_, kBeingMade);
    }
    internal::Rollback being_made([this] { leave(kNone); });
    made_ = make().release();  // never deleted
    being_made.complete();
    leave(kMade);
  }

  void leave(State state) {
    state_.store(state, std::memory_order_release);  // (2) release: publishes made_ to (1).
    platform::futex_wake(state_, INT_MAX);
  }

  platform::FutexWord state_{kNone};
  T* made_ = nullptr;
};

template <class P, class Tag>
[[gnu::visibility("default")]] inline MadeOnce<P> process_wide_instance;

}  // namespace internal

// The instance of P that belongs to `Tag`, which need not be complete; made from `arguments` if it
// is not there yet.
template <class P, class Tag = P, class... Arguments>
P& process_wide(const Arguments&... arguments) {
  return internal::process_wide_instance<P, Tag>.get(
      [&] { return std::make_unique<P>(arguments...); });
}

}  // namespace lockbench
