// SPDX-License-Identifier: Apache-2.0

// Probes: how an acquisition is timed, or not.
//
// Two reads of the clock cost as much as several uncontended locks. Most operations are therefore
// not timed, and a random one in `sample_every` is. The choice is random so that it cannot coincide
// with a pattern of the workload.
#pragma once

#include <cstdint>

#include "harness/bench/measure/histogram.h"
#include "primitives/concepts.h"
#include "primitives/platform/clock.h"
#include "primitives/service.h"
#include "workloads/random.h"
#include "workloads/settings.h"

namespace lockbench {

// Calls lock(), or try_lock_for() if there is a timeout. Cells with a timeout are refused before
// they run if the primitive has no timeouts. Throws ServiceError if the lock's service is lost,
// which is not the same as a lock that others hold.
template <class Handle>
bool acquire_within(Handle& handle, Nanoseconds timeout) {
  if constexpr (TimedLockable<Handle>) {
    if (timeout.count() != 0) {
      const auto result = handle.try_lock_for(timeout);
      if constexpr (requires { result.reason(); }) {
        if (result.reason() == TryReason::kServiceLost) {
          throw ServiceError("the service did not answer a request to acquire a key");
        }
      }
      return result;
    }
  }
  handle.lock();
  return true;
}

// Records nothing and costs nothing.
struct UntimedProbe {
  static constexpr bool kWatches = false;

  template <class Handle>
  bool acquire(Handle& handle, Nanoseconds timeout) {
    return acquire_within(handle, timeout);
  }

  template <class Handle>
  void release(Handle& handle) {
    handle.unlock();
  }
};

// Records how long the acquisition waited, and how long the lock was then held. The wait counts
// from the request, or, in an open loop, from the time when the operation was due.
class TimedProbe {
 public:
  static constexpr bool kWatches = true;

  // Means that there is no due time: the wait counts from the request.
  static constexpr platform::Time kFromAsking = platform::Time::min();

  TimedProbe(Histogram& wait, Histogram& hold, platform::Time due = kFromAsking)
      : wait_(wait), hold_(hold), due_(due) {}

  template <class Handle>
  bool acquire(Handle& handle, Nanoseconds timeout) {
    const platform::Time asked = due_ == kFromAsking ? platform::now() : due_;
    const bool acquired = acquire_within(handle, timeout);
    acquired_ = platform::now();
    // A wait that timed out is recorded, too.
    wait_.record(ns_between(asked, acquired_));
    return acquired;
  }

  template <class Handle>
  void release(Handle& handle) {
    // The clock is read before unlock(). Threads that wait for the lock therefore wait for this
    // read in the sampled operations. If it were read after unlock(), the hold would include the
    // time to wake them.
    hold_.record(ns_between(acquired_, platform::now()));
    handle.unlock();
  }

 private:
  static std::uint64_t ns_between(platform::Time from, platform::Time to) {
    return static_cast<std::uint64_t>((to - from).count());
  }

  Histogram& wait_;
  Histogram& hold_;
  const platform::Time due_;
  platform::Time acquired_{};
};

// Chooses which operations are timed: on average one in `every`, with gaps that are uniform in [1,
// 2 * every - 1]. 1: each operation; 0: none.
class Sampler {
 public:
  Sampler(std::uint32_t every, std::uint64_t seed) : every_(every), random_(seed), left_(gap()) {}

  bool due() {
    if (--left_ != 0) return false;
    left_ = gap();
    return true;
  }

 private:
  std::uint64_t gap() {
    if (every_ == 0) return ~std::uint64_t{0};
    return 1 + random_.below(2 * std::uint64_t{every_} - 1);
  }

  std::uint64_t every_;
  Random random_;
  std::uint64_t left_;
};

}  // namespace lockbench
